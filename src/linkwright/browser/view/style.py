"""Style of the page: corrections of viser's own style, and the collapsed panel on a telephone.

The page has no other way to be given a style than an HTML element in the panel.
"""

from __future__ import annotations

NARROW = 576
"""Width of a page in pixels up to which viser shows the panel as a sheet at the bottom (a telephone)."""

SHEET = 142
"""Height of the collapsed sheet, pixels."""

STYLE = f"""<style>
/* labels: normal letter spacing and contrast */
.mantine-Text-root:has(> label) {{ letter-spacing: normal !important; color: var(--mantine-color-text) !important; }}
/* legends of curves: filled squares */
.u-legend .u-marker {{ width: 0 !important; height: 0 !important; border-width: 5px !important; }}
/* four buttons in one row */
.mantine-Flex-root:has(> [data-size="compact-xs"]:nth-child(4)) {{ gap: 3px !important; }}
.mantine-Flex-root > [data-size="compact-xs"]:is(:nth-child(4), :has(~ :nth-child(4))) {{
  flex-basis: auto !important; padding-inline: 2px !important; }}
/* hints: left of the panel instead of over the controls */
@media (min-width: {NARROW + 1}px) {{
  .mantine-Tooltip-tooltip {{ translate: -21.5rem 0; }}
  .mantine-Tooltip-arrow {{ display: none; }}
  .lw-more {{ display: none; }}
}}
/* telephone: the controls are hidden until their box is checked */
@media (max-width: {NARROW}px) {{
  .lw-more {{ display: block; margin: 2px 10px 6px; padding: 2px; border: 1px solid #8884; border-radius: 4px;
    text-align: center; font-size: 14px; }}
  .lw-more input {{ vertical-align: -2px; margin-right: 6px; }}
  .mantine-Paper-root:has(.lw-more) {{ width: 100% !important; }}
  .mantine-ScrollArea-content:has(.lw-more) > div {{ width: 100% !important; }}
  :has(> div > .lw-more):not(:has(#lw-more:checked)) > div:has(.lw-more) ~ * {{ display: none; }}
}}
</style><label class="lw-more"><input type="checkbox" id="lw-more">All controls</label>"""
"""The last element that the collapsed sheet of a telephone shows."""
