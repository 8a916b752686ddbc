"""How a report looks, in light and dark, on a screen and on paper."""

REPORT_LOOK = """
:root { --card: #ffffff; --accent: #0a58ca; --soft: #dbe8fb; --doubt: #b45309; --doubt-soft: #fdf0dc;
  --mark: #fff3c4; }
* { box-sizing: border-box; }
body { max-width: 1000px; margin: 2.2rem auto 4rem; padding: 0 1.2rem; color: var(--ink);
  background: var(--back); font: 15px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .2rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.4rem 0 .5rem; }
h3 { font-size: 1rem; margin: 0; overflow-wrap: anywhere; }
p { margin: .3rem 0 .8rem; max-width: 72ch; }
.faint, footer, .tile small { color: var(--faint); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(170px, 1fr)); gap: .8rem;
  margin: 1.4rem 0 .6rem; }
.tile, .card { background: var(--card); border: 1px solid var(--rule); border-radius: 10px; }
.tile { padding: .7rem .9rem .8rem; }
.tile b { display: block; font-size: 1.45rem; line-height: 1.25; font-weight: 650;
  font-variant-numeric: tabular-nums; }
.tile span { color: var(--faint); font-size: .85rem; }
.tile small { display: block; margin-top: .15rem; font-size: .85rem; line-height: 1.35; }
.note { border-left: 4px solid var(--doubt); background: var(--doubt-soft); padding: .5rem .9rem;
  margin: .6rem 0; border-radius: 0 8px 8px 0; }
.card { padding: .8rem 1rem .9rem; margin: .7rem 0; break-inside: avoid; }
.head { display: flex; flex-wrap: wrap; gap: .2rem .8rem; align-items: baseline; margin-bottom: .45rem; }
.head .faint { font-size: .85rem; }
.pill { font-size: .8rem; padding: .05rem .55rem; border-radius: 99px; background: var(--soft);
  color: var(--accent); white-space: nowrap; }
.pill.doubt { background: var(--doubt-soft); color: var(--doubt); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .88rem; }
th, td { text-align: left; vertical-align: top; padding: .28rem .9rem .28rem 0;
  border-bottom: 1px solid var(--rule); overflow-wrap: anywhere; min-width: 7.5em; }
tr:last-child td { border-bottom: 0; }
th { font-weight: 500; color: var(--faint); }
td.id, th.id { color: var(--faint); min-width: 4em; max-width: 14em; }
td.number, th.number { min-width: 0; text-align: right; white-space: nowrap;
  font-variant-numeric: tabular-nums; }
td.other bdi { background: var(--mark); border-radius: 3px; box-shadow: 0 0 0 2px var(--mark); }
.pictures { display: flex; flex-wrap: wrap; gap: .5rem; margin: .2rem 0; }
figure { margin: 0; width: 106px; font-size: .75rem; color: var(--faint); overflow-wrap: anywhere; }
figure img { display: block; width: 106px; height: 106px; object-fit: contain; background: var(--back);
  border-radius: 6px; }
.bar { position: relative; display: inline-block; width: 120px; height: .8em; background: var(--rule);
  border-radius: 3px; vertical-align: -.08em; margin-right: .5em; }
.bar i, .bar u { position: absolute; top: 0; bottom: 0; }
.bar i { background: var(--soft); border-radius: 3px; }
.bar u { width: 2px; background: var(--accent); }
.curve { display: block; width: 100%; height: auto; }
.curve text { fill: var(--faint); font-size: 12px; }
.curve .grid { stroke: var(--rule); }
.curve .band { fill: var(--soft); opacity: .75; }
.curve .line { fill: none; stroke: var(--accent); stroke-width: 2.4; stroke-linejoin: round; }
.curve .dot { fill: var(--accent); }
code { font-size: .88em; background: var(--rule); padding: .1em .35em; border-radius: 4px; }
nav { margin: .6rem 0 0; font-size: .9rem; }
nav a { color: var(--accent); margin-right: 1rem; text-decoration: none; }
footer { margin-top: 3rem; font-size: .85rem; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ed; --faint: #9aa4b0; --rule: #2b323b; --back: #0d1014; --card: #15191f;
    --accent: #7db8ff; --soft: #1d3a5f; --doubt: #f2a65e; --doubt-soft: #33240f; --mark: #4a3c0c; }
}
@media print { body { max-width: none; margin: 0; } nav { display: none; } }
"""
