'use strict';
// Asks once a second where the run stands. Texts go in as texts only.
(() => {
const at = id => document.getElementById(id);
let shown = 0;
const svg = (name, attributes, text) => {
  const e = document.createElementNS(at('points').namespaceURI, name);
  for (const k in attributes) e.setAttribute(k, attributes[k]);
  e.textContent = text;
  return e;
};
function cells(kind, texts) {
  return texts.map(text => { const e = document.createElement(kind); e.textContent = text; return e; });
}
// curve draws what was measured so far: a table, and rate against latency from 0.
function curve(c) {
  at('so-far').hidden = c.rows.length === 0;
  at('curve').textContent = c.workload + ' so far';
  at('head').replaceChildren(...cells('th', c.head));
  at('rows').replaceChildren(...c.rows.map(r => { const tr = document.createElement('tr'); tr.append(...cells('td', r)); return tr; }));
  at('chart').toggleAttribute('hidden', c.points.length === 0);
  at('x').textContent = c.x + ', from 0'; at('y').textContent = c.y + ', from 0';
  at('chart-title').textContent = `${c.x} against ${c.y}: ` + c.points.map(p => p.text).join('; ');
  const right = Math.max(...c.points.map(p => p.x)), top = Math.max(...c.points.map(p => p.y)), named = [];
  at('points').replaceChildren(...c.points.flatMap(p => {
    const x = 60 + 470 * p.x / (right || 1), y = 260 - 235 * p.y / (top || 1), dot = svg('circle', {cx: x, cy: y, r: 5}, '');
    dot.append(svg('title', {}, p.text));
    if (named.some(n => Math.abs(n[0] - x) < 40 && Math.abs(n[1] - y) < 11)) return [dot]; // its title names it, and the table
    named.push([x, y]);
    return [dot, svg('text', {x: x + 8, y: y + 4}, p.name)];
  }));
}
function show(s) {
  at('place').textContent = s.place; at('label').textContent = s.label; at('rate').textContent = s.rate;
  at('done').max = Math.max(s.trials, 1); at('done').value = s.ended;
  const top = Math.max(...s.throughput, 1);
  at('throughput').setAttribute('d', s.throughput.map((v, i) => `${i ? 'L' : 'M'}${100 * i / Math.max(s.throughput.length - 1, 1)},${29 - 28 * v / top}`).join(''));
  curve(s.so_far);
  for (const t of s.done.slice(shown)) {
    const row = at('trials').insertRow(0);
    for (const text of [t.label, t.status, t.throughput, t.ops, t.mean]) row.insertCell().textContent = text;
  }
  shown = s.done.length;
}
async function ask() {
  try { show(await (await fetch('state')).json()); setTimeout(ask, 1000); } catch { at('place').textContent = 'The run has ended or iosweep cannot be reached.'; }
}
ask();
})();
