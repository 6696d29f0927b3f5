// Curves beside a motion that plays. The player has a slider: its value is the time, whoever moves it.
(() => {
  const data = JSON.parse(document.getElementById("lw-data").textContent);
  const bytes = Uint8Array.from(atob(data.numbers), (c) => c.charCodeAt(0));
  const numbers = new Float32Array(bytes.buffer); // t, then each curve
  const n = data.samples, column = (k) => numbers.subarray(k * n, (k + 1) * n), t = column(0);
  const panel = document.getElementById("lw-curves"), root = document.getElementById("root");
  const dark = panel.classList.contains("dark");
  const COLORS = ["#2563a8", "#d1495b", "#2a9d8f", "#e9a23b", "#7a5ea8", "#59656f", "#8c564b", "#17becf"];
  const LEFT = 46, RIGHT = 8, TOP = 6, BOTTOM = 18;
  const make = (tag, name, parent) => {
    const node = document.createElement(tag);
    node.className = name;
    parent.append(node);
    return node;
  };
  const ticks = (low, high, most) => {
    const rough = (high - low) / most, ten = 10 ** Math.floor(Math.log10(rough));
    const step = ten * [1, 2, 5, 10].find((x) => x * ten >= rough * 0.999);
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9)), found = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) {
      const far = Math.abs(k * step) >= 1e5 || digits > 4;
      found.push([k * step, !k ? "0" : far ? (k * step).toExponential(1) : (k * step).toFixed(digits)]);
    }
    return found;
  };
  const short = (x) => {
    if (!Number.isFinite(x)) return "–";
    const size = Math.abs(x);
    return size < 1e-9 ? "0" : size >= 1e5 || size < 1e-3 ? x.toExponential(1) : x.toPrecision(3).replace(/\.?0+$/, "");
  };
  const at = (k, time) => { // linear between samples
    const x = column(k);
    let low = 0, high = n - 1;
    if (time <= t[0]) return x[0];
    if (time >= t[high]) return x[high];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (t[middle] <= time) low = middle; else high = middle;
    }
    return x[low] + ((time - t[low]) / (t[high] - t[low] || 1)) * (x[high] - x[low]);
  };

  const plots = [];
  let now = t[0];
  const clock = make("div", "lw-clock", panel);
  for (const { title, groups } of data.plots) {
    const box = make("section", "lw-plot", panel), head = make("h2", "", box);
    head.textContent = title;
    const names = Object.keys(groups), plot = { groups, shown: names[0], values: [] };
    if (names.length > 1) {
      const choice = make("select", "", head);
      choice.setAttribute("aria-label", `which of ${title}`);
      for (const name of names) make("option", "", choice).textContent = name;
      choice.onchange = () => { plot.shown = choice.value; describe(plot); draw(plot); move(); };
    }
    plot.area = make("div", "lw-area", box);
    plot.canvas = make("canvas", "", plot.area);
    plot.line = make("div", "lw-line", plot.area);
    plot.names = make("div", "lw-names", box);
    plot.area.onpointerdown = (event) => { seek(plot, event); plot.area.setPointerCapture(event.pointerId); };
    plot.area.onpointermove = (event) => { if (event.buttons) seek(plot, event); };
    plots.push(plot);
  }

  function describe(plot) {
    plot.names.replaceChildren();
    plot.values = plot.groups[plot.shown].map(([name, k], i) => {
      const entry = make("span", "", plot.names);
      const mark = make("i", "", entry);
      mark.style.background = COLORS[i % COLORS.length];
      entry.append(`${name} `);
      return [make("b", "", entry), k];
    });
  }
  function draw(plot) {
    const width = plot.area.clientWidth, height = plot.area.clientHeight, scale = window.devicePixelRatio || 1;
    if (!width || !height) return;
    plot.canvas.width = width * scale;
    plot.canvas.height = height * scale;
    const pen = plot.canvas.getContext("2d"), curves = plot.groups[plot.shown].map(([, k]) => column(k));
    pen.scale(scale, scale);
    let low = Infinity, high = -Infinity;
    for (const x of curves) for (const y of x) if (Number.isFinite(y)) { low = Math.min(low, y); high = Math.max(high, y); }
    if (!(low <= high)) [low, high] = [-1, 1];
    const gap = high - low > 1e-6 * Math.max(Math.abs(low), Math.abs(high)) ? 0.06 * (high - low) : 0.1 * Math.abs(low) || 1;
    low -= gap;
    high += gap;
    const span = t[n - 1] - t[0] || 1;
    const x = (time) => LEFT + ((time - t[0]) / span) * (width - LEFT - RIGHT);
    const y = (value) => TOP + ((high - value) / (high - low)) * (height - TOP - BOTTOM);
    pen.font = "10px sans-serif";
    pen.fillStyle = dark ? "#a8b0bb" : "#6b7480";
    pen.strokeStyle = dark ? "#3a3f46" : "#e6e9ed";
    pen.lineWidth = 1;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const [value, word] of ticks(low, high, Math.max(2, height / 30))) {
      pen.beginPath();
      pen.moveTo(LEFT, Math.round(y(value)) + 0.5);
      pen.lineTo(width - RIGHT, Math.round(y(value)) + 0.5);
      pen.stroke();
      pen.fillText(word, LEFT - 5, y(value));
    }
    pen.textAlign = "center";
    pen.textBaseline = "top";
    for (const [time, word] of ticks(t[0], t[0] + span, Math.max(3, width / 38))) pen.fillText(word, Math.min(x(time), width - 10), height - BOTTOM + 4);
    pen.lineWidth = 1.5;
    pen.lineJoin = "round";
    curves.forEach((curve, i) => {
      pen.strokeStyle = COLORS[i % COLORS.length];
      pen.beginPath();
      let drawing = false;
      for (let k = 0; k < n; k++) {
        if (!Number.isFinite(curve[k])) { drawing = false; continue; }
        if (drawing) pen.lineTo(x(t[k]), y(curve[k])); else pen.moveTo(x(t[k]), y(curve[k]));
        drawing = true;
      }
      pen.stroke();
    });
    plot.place = x;
  }
  function move() {
    clock.textContent = `t = ${now.toFixed(2)} s`;
    for (const plot of plots) {
      if (plot.place) plot.line.style.transform = `translateX(${plot.place(now)}px)`;
      for (const [node, k] of plot.values) node.textContent = short(at(k, now));
    }
  }
  function seek(plot, event) { // the field of the player sets its time
    const field = root.querySelector("input"), slider = root.querySelector("[role=slider]");
    if (!field || !slider) return;
    const box = plot.area.getBoundingClientRect();
    const part = Math.min(1, Math.max(0, (event.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT)));
    const wanted = Math.min(part * data.seconds, Number(slider.getAttribute("aria-valuemax")));
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, wanted.toFixed(3));
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
  function follow() {
    const slider = root.querySelector("[role=slider]");
    if (slider) {
      const part = Math.min(1, Number(slider.getAttribute("aria-valuenow")) / (data.seconds || 1));
      const time = t[0] + part * (t[n - 1] - t[0]);
      if (time !== now) { now = time; move(); }
    }
    requestAnimationFrame(follow);
  }
  const button = document.getElementById("lw-hide");
  button.onclick = () => {
    const hidden = document.body.classList.toggle("lw-bare");
    button.textContent = hidden ? "Curves" : "×";
    button.title = hidden ? "Show the curves" : "Hide the curves";
  };
  if (window.innerWidth < 700) button.click();
  new ResizeObserver(() => { plots.forEach(draw); move(); }).observe(panel);
  plots.forEach((plot) => { describe(plot); draw(plot); });
  move();
  follow();
})();
