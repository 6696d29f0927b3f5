// Pictures are enlarged by a click, and the player of the landing page replaces its poster.
document.addEventListener("DOMContentLoaded", () => {
  const dialog = document.body.appendChild(document.createElement("dialog"));
  dialog.className = "enlarged";
  dialog.addEventListener("click", () => dialog.close());
  const enlarge = (image) => {
    const large = new Image();
    large.src = image.src;
    large.alt = image.alt;
    large.className = image.className;
    large.style.width = `min(97vw, ${(94 * image.naturalWidth) / image.naturalHeight}vh)`;
    const frame = document.createElement("div");
    frame.append(large);
    dialog.replaceChildren(frame);
    dialog.showModal();
  };
  const player = document.querySelector(".player");
  const poster = player?.previousElementSibling?.querySelector("img");
  for (const image of document.querySelectorAll("article img")) {
    if (image === poster || image.closest("a, table.cards")) continue;
    image.tabIndex = 0;
    image.setAttribute("role", "button");
    image.title = "Click to enlarge";
    image.addEventListener("click", () => enlarge(image));
    image.addEventListener("keydown", (event) => {
      if (event.key === "Enter") enlarge(image);
    });
  }
  if (poster) {
    const button = document.createElement("button");
    button.textContent = "▶ Rotate and play in 3D";
    const paragraph = player.previousElementSibling;
    player.append(poster, button);
    paragraph.remove();
    button.addEventListener("click", () => {
      const frame = document.createElement("iframe");
      frame.src = player.dataset.page;
      frame.title = poster.alt;
      frame.allow = "fullscreen";
      player.replaceChildren(frame);
    });
  }
});
