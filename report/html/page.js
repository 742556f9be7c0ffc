'use strict';
// The page is complete without this script. With it, charts and tables answer
// each other: what is pointed at is told, what is picked is singled out.
(() => {
const NS = 'http://www.w3.org/2000/svg';
const figures = JSON.parse(document.getElementById('figures').textContent);
const all = (root, sel) => [...root.querySelectorAll(sel)];
const make = (name, attrs, text) => {
  const e = document.createElement(name);
  for (const k in attrs || {}) e.setAttribute(k, attrs[k]);
  if (text !== undefined) e.textContent = text;
  return e;
};
const svg = (parent, name, attrs, text) => {
  const e = document.createElementNS(NS, name);
  for (const k in attrs || {}) e.setAttribute(k, attrs[k]);
  if (text !== undefined) e.textContent = text;
  parent.appendChild(e);
  return e;
};
const status = document.getElementById('status');
const say = text => { status.textContent = text; };

// Picking: one setting of a workload, in all its charts and tables.
const picked = {};
function pick(workload, style) {
  picked[workload] = picked[workload] === style ? undefined : style;
  show(workload);
}
function show(workload) {
  const style = picked[workload];
  for (const root of all(document, '[data-w]')) {
    if (root.dataset.w !== workload) continue;
    root.classList.toggle('picked', style !== undefined);
    for (const e of all(root, '[data-s]')) {
      const on = style !== undefined && e.dataset.s === style;
      e.classList.toggle('on', on);
      const button = e.matches('.entry') ? e : e.querySelector('button.pick');
      if (button) button.setAttribute('aria-pressed', on);
    }
  }
}
const workloadOf = e => e.closest('[data-w]').dataset.w;

// The tip tells of the mark that is pointed at or has the focus.
const tip = document.body.appendChild(make('div', {id: 'tip', role: 'tooltip', hidden: ''}));
function tell(mark) {
  tip.replaceChildren(...mark.getAttribute('aria-label').split('\n').map((line, i) => make(i ? 'p' : 'strong', {}, line)));
  tip.hidden = false;
  const at = mark.getBoundingClientRect(), wide = tip.offsetWidth, high = tip.offsetHeight;
  tip.style.left = Math.max(4, Math.min(at.right + 8, document.documentElement.clientWidth - wide - 4)) + scrollX + 'px';
  tip.style.top = (at.bottom + high + 8 > innerHeight && at.top > high ? at.top - high - 4 : at.bottom + 4) + scrollY + 'px';
}
const hush = () => { tip.hidden = true; };

function marks(chart) {
  const hits = all(chart, '.hit').filter(h => !h.closest('.off'));
  hits.forEach((h, i) => {
    const title = h.querySelector('title');
    if (title) { h.setAttribute('aria-label', title.textContent); title.remove(); }
    h.setAttribute('role', 'img');
    h.setAttribute('tabindex', i ? -1 : 0);
    if (h.onfocus) return;
    h.onfocus = h.onmouseenter = () => tell(h);
    h.onblur = h.onmouseleave = hush;
    h.onclick = () => pick(workloadOf(h), h.dataset.s);
  });
}
function keys(chart) {
  chart.addEventListener('keydown', e => {
    const t = e.target, hits = all(chart, '.hit').filter(h => !h.closest('.off')), at = hits.indexOf(t);
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[e.key];
    if (e.key === 'Escape') { hush(); if (picked[workloadOf(t)] !== undefined) pick(workloadOf(t), picked[workloadOf(t)]); return; }
    if ((e.key === 'Enter' || e.key === ' ') && t.dataset.s !== undefined) pick(workloadOf(t), t.dataset.s);
    else if (at >= 0 && step) {
      const next = hits[(at + step + hits.length) % hits.length];
      t.setAttribute('tabindex', -1); next.setAttribute('tabindex', 0); next.focus();
    } else return;
    e.preventDefault();
  });
}
for (const chart of all(document, 'figure svg')) {
  chart.setAttribute('role', 'group');
  for (const e of all(chart, '.entry')) {
    if (Number(e.dataset.s) < 0) continue;
    e.setAttribute('role', 'button'); e.setAttribute('tabindex', 0); e.setAttribute('aria-pressed', false);
    e.setAttribute('aria-label', e.textContent.trim() + ': single out');
    e.onclick = () => pick(workloadOf(e), e.dataset.s);
  }
  marks(chart); keys(chart);
}

// Numbers as the report prints them.
const UNITS = {throughput: [['B/s', 1], ['kB/s', 1e3], ['MB/s', 1e6], ['GB/s', 1e9], ['TB/s', 1e12]], ops: [['op/s', 1], ['k op/s', 1e3], ['M op/s', 1e6]]};
const TIMES = [['ns', 1e-9], ['us', 1e-6], ['ms', 1e-3], ['s', 1]];
function unit(q, v) {
  const list = UNITS[q] || TIMES;
  return list.filter(u => v >= 0.9995 * u[1]).pop() || list[0];
}
function linear(values, q) {
  let low = Math.min(...values), high = Math.max(...values);
  if (low > 0.7 * high && high > low) { const pad = Math.max((high - low) * 0.25, high * 0.02); low -= pad; high += pad; } else { low = Math.min(low, 0); high *= 1.06; }
  const u = unit(q, high);
  if (!(high > low)) high = low + u[1];
  const rough = (high - low) / u[1] / 5, p = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].find(m => rough <= m * p * 1.000001) * p * u[1], ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high * 1.000001; i++) ticks.push([i * step, String(+(i * step / u[1]).toPrecision(6))]);
  return {at: v => (v - low) / (high - low), ticks, unit: ' (' + u[0] + ')'};
}
function logarithmic(values, q) {
  const steps = [];
  for (let e = -10; e < 14; e++) for (const m of [1, 2, 5]) steps.push(m * 10 ** e);
  const low = steps.filter(s => s <= Math.min(...values) * 0.9).pop(), high = steps.find(s => s >= Math.max(...values) * 1.1);
  const wide = Math.log10(high / low) > 2.5;
  const ticks = steps.filter(s => s >= low * 0.999 && s <= high * 1.001 && (!wide || Math.abs(Math.log10(s) % 1) < 1e-6))
    .map(s => { const u = unit(q, s); return [s, +(s / u[1]).toPrecision(6) + ' ' + u[0]]; });
  return {at: v => Math.log10(v / low) / Math.log10(high / low), ticks, unit: ''};
}

// A chart of throughput against another latency, in the place of the one that
// the report drew. Marks and dashes are the legend's.
function redraw(figure) {
  const root = figure.querySelector('svg'), w = figures.workloads.find(w => w.anchor === figure.dataset.w), c = w.chart;
  const q = figure.querySelector('.stat').value, scale = figure.querySelector('.scale').value, basis = figure.querySelector('.basis').value;
  const old = root.querySelector('.dyn');
  if (old) old.remove();
  const plain = q === '' && scale === '' && basis === 'f';
  const byValue = figure.dataset.chart === 'value', panel = byValue ? '[data-panel="1"]' : '[data-panel]';
  const fixed = all(root, `.axes${panel},.front${panel},.series${panel},.labels${panel},.hit${panel}`).concat(root.querySelector('text'));
  fixed.forEach(e => e.classList.toggle('off', !plain));
  if (plain) { marks(root); say('as drawn'); return; }
  const quantity = q || c.yq, points = [];
  w.tables[c.y].rows.forEach((row, i) => {
    const x = byValue ? {v: row.s, lo: row.s, hi: row.s} : w.tables[c.x].rows[i].f[c.xq], y = (row[basis] || row.f)[quantity];
    if (x && y) points.push({row, x, y});
  });
  const g = svg(root, 'g', {class: 'dyn'}), box = boxOf(root.querySelector('.front' + panel));
  const high = root.viewBox.baseVal.height, word = basis === 'service' ? 'service time' : w.tables[c.y].clock.split(',')[0];
  const title = byValue ? `${w.name}: ${quantity} ${word} by value` : `${w.name}: ${c.xq} against ${quantity} ${word}`;
  svg(g, 'text', {x: 10, y: 22, class: 'title'}, title);
  if (!points.length) { svg(g, 'text', {x: (box[0] + box[2]) / 2, y: high / 2, class: 'tick', 'text-anchor': 'middle'}, 'no setting has this figure: too few operations'); say(title); return; }
  draw(g, box, high, points, {c, quantity, scale, title, basis, word, byValue, settings: new Map(w.tables[c.y].rows.map(r => [r.s, r.short]))});
  marks(root); show(figure.dataset.w);
  const missing = w.tables[c.y].rows.length - points.length;
  say(title + (missing ? `; ${missing} not drawn: too few operations` : ''));
}
function draw(g, box, high, points, o) {
  const top = Math.max(0, ...points.filter(p => !p.y.ge).map(p => p.y.hi)), far = p => top > 0 && p.y.ge && p.y.v > 3 * top;
  const ys = points.filter(p => !far(p)).flatMap(p => [p.y.lo, p.y.v, p.y.hi]), positive = ys.every(v => v > 0);
  const log = positive && (o.scale === 'log' || o.scale === '' && Math.max(...ys) > 10 * Math.min(...ys));
  const limit = o.quantity === o.c.yq && o.basis === 'f' && o.c.limit;
  if (limit) ys.push(limit);
  const X = o.byValue ? values(o, points) : (o.c.xlog ? logarithmic : linear)(points.flatMap(p => [p.x.lo, p.x.v, p.x.hi]).concat(o.c.floor || []), o.c.xq);
  const Y = (log ? logarithmic : linear)(ys, o.quantity), broken = points.some(far) ? 1.2 : 1;
  const f = frame(g, box, high, X, {...Y, at: v => Y.at(v) / broken}, o.byValue, o.byValue ? '' : o.c.xq + X.unit, `${o.quantity} ${o.word}${Y.unit}`), {x, y, top: upper, bottom} = f;
  if (broken > 1) {
    const at = bottom - (box[3] - box[1]) / broken;
    svg(g, 'path', {class: 'limit', d: `M${box[0]},${at}H${box[2]}`});
    svg(g, 'text', {class: 'tick', x: box[2] - 4, y: at - 3, 'text-anchor': 'end'}, 'not to scale above');
  }
  const over = p => far(p) ? bottom - (box[3] - box[1]) * 1.1 / 1.2 : y(p.y.v);
  if (limit) svg(g, 'path', {class: 'limit', d: `M${box[0]},${y(limit)}H${box[2]}`});
  if (o.c.floor && !o.byValue) svg(g, 'path', {class: 'limit', d: `M${x(o.c.floor)},${upper}V${bottom}`});
  if (!o.byValue) stair(g, points, x, y);
  const root = g.ownerSVGElement, groups = {};
  points.forEach(p => (groups[p.row.s] ||= []).push(p));
  for (const s in groups) {
    const entry = root.querySelector(`.entry[data-s="${s}"]`), series = svg(g, 'g', {class: 'series', 'data-s': s});
    const paths = all(entry, 'path'), join = o.c.joined && !o.byValue ? paths.shift() : null;
    if (join) series.appendChild(join.cloneNode()).setAttribute('d', 'M' + groups[s].map(p => `${x(p.x.v)},${over(p)}`).join('L'));
    for (const p of groups[s]) mark(series, entry, paths, p, x, y, over(p), o);
  }
}
// boxOf is where a panel's data stand, but for a line above that names the y axis.
function boxOf(front) {
  const box = front.dataset.box.split(' ').map(Number);
  return [box[0], box[1], box[2], box[3] - 10];
}
// frame draws the axes and returns where values stand.
function frame(g, box, high, X, Y, slanted, xlabel, ylabel) {
  const x = v => box[0] + X.at(v) * (box[2] - box[0]), y = v => high - box[1] - Y.at(v) * (box[3] - box[1]);
  const top = high - box[3], bottom = high - box[1];
  for (const [v, text] of Y.ticks) { svg(g, 'path', {class: 'grid', d: `M${box[0]},${y(v)}H${box[2]}`}); svg(g, 'text', {class: 'tick', x: box[0] - 6, y: y(v) + 3, 'text-anchor': 'end'}, text); }
  for (const [v, text] of X.ticks) svg(g, 'text', slanted ? {class: 'tick', transform: `translate(${x(v) + 3} ${bottom + 12}) rotate(-30)`, 'text-anchor': 'end'} : {class: 'tick', x: x(v), y: bottom + 14, 'text-anchor': 'middle'}, text);
  svg(g, 'path', {class: 'axis', d: `M${box[0]},${top}V${bottom}H${box[2]}`});
  svg(g, 'text', {class: 'tick', x: (box[0] + box[2]) / 2, y: bottom + 30, 'text-anchor': 'middle'}, xlabel);
  svg(g, 'text', {class: 'tick', x: box[0] - 4, y: top - 4}, ylabel);
  return {x, y, top, bottom};
}
// values stand evenly spaced, as the report draws them, with room for the names
// of load points where there are some.
function values(o, points) {
  const n = o.settings.size, wide = points.some(p => p.row.load) ? 1.2 * n : n;
  return {at: v => (v + 0.5) / wide, ticks: [...o.settings], unit: ''};
}
function mark(series, entry, paths, p, x, y, py, o) {
  const px = x(p.x.v);
  const bar = svg(series, 'path', {d: (p.x.le ? `M${px},${py}h-16m5,-4l-5,4l5,4` : `M${x(p.x.lo)},${py}H${x(p.x.hi)}`) + (p.y.ge ? `M${px},${py}v-16m-4,5l4,-5l4,5` : p.y.le ? `M${px},${py}v16m-4,-5l4,5l4,-5` : `M${px},${y(p.y.lo)}V${y(p.y.hi)}`)});
  bar.setAttribute('style', paths[0].getAttribute('style').replace(/^.*fill:([^;]+).*$/, 'fill:none;stroke:$1;stroke-width:1'));
  stamp(series, entry, paths, px, py);
  const text = [[p.row.setting, p.row.load].filter(Boolean).join(', '), p.x.t && `${o.c.xq}: ${p.x.t}`, `${o.quantity} ${o.word}: ${p.y.t}`, `trials: ${p.row.trials}`].filter(Boolean);
  if (p.row.effect) text.push('effect: ' + p.row.effect);
  hit(series, p.row.s, px, py, text.join('\n'));
}
// stamp draws the legend's mark of a setting where a point is.
function stamp(series, entry, paths, x, y) {
  const shape = svg(series, 'g', {transform: `translate(${x} ${y}) scale(1 -1) translate(${-entry.dataset.x} ${-entry.dataset.y})`});
  paths.forEach(path => shape.appendChild(path.cloneNode()));
}
const hit = (series, s, x, y, text) => svg(series.parentNode, 'circle', {class: 'hit', 'data-s': s, cx: x, cy: y, r: 9, 'aria-label': text});
function stair(g, points, x, y) {
  const best = [];
  for (const p of points.filter(p => !p.y.ge && !p.x.le && !p.y.le).sort((a, b) => b.x.v - a.x.v || a.y.v - b.y.v)) if (!best.length || p.y.v < best[best.length - 1].y.v) best.push(p);
  if (best.length < 2) return;
  best.reverse();
  svg(g, 'path', {class: 'stair', d: best.map((p, i) => i ? `V${y(p.y.v)}H${x(p.x.v)}` : `M${x(p.x.v)},${y(p.y.v)}`).join('')});
}
// Lines over time or over shares of the operations, by another statistic or on
// another axis.
function redrawLines(figure) {
  const root = figure.querySelector('svg'), name = figure.querySelector('.stat').value, scale = figure.querySelector('.scale').value;
  const curves = figures.workloads.flatMap(w => w.curves || []).find(c => 'fig-' + c.name === figure.id);
  all(root, '.dyn').forEach(e => e.remove());
  const told = [];
  curves.panels.forEach((panel, n) => {
    const front = root.querySelector(`.front[data-panel="${n}"]`), choice = panel.choices.find(c => c.name === name) || panel.choices[0];
    if (!front) return;
    const plain = scale === '' && choice === panel.choices[0];
    all(root, `.axes[data-panel="${n}"],.front[data-panel="${n}"],.series[data-panel="${n}"],.labels[data-panel="${n}"],.hit[data-panel="${n}"]`).forEach(e => e.classList.toggle('off', !plain));
    if (!plain) told.push(drawLines(svg(root, 'g', {class: 'dyn'}), boxOf(front), panel, choice, scale));
  });
  marks(root); show(figure.dataset.w);
  say(told.length ? curves.title + ': ' + told.join(', ') : 'as drawn');
}
function drawLines(g, box, panel, choice, scale) {
  const root = g.ownerSVGElement, ys = choice.lines.flatMap(l => l.y || []), positive = ys.length > 0 && ys.every(v => v > 0);
  const log = positive && (scale === 'log' || scale === '' && Math.max(...ys) > 10 * Math.min(...ys)), Y = (log ? logarithmic : linear)(ys.length ? ys : [0], panel.q);
  const X = {at: v => (v - panel.min) / (panel.max - panel.min), ticks: panel.ticks.map(t => [t.v, t.t])};
  const {x, y} = frame(g, box, root.viewBox.baseVal.height, X, Y, false, panel.x, choice.y + Y.unit);
  for (const line of choice.lines) {
    const entry = root.querySelector(`.entry[data-s="${line.s}"]`), series = svg(g, 'g', {class: 'series', 'data-s': line.s}), [join, ...paths] = all(entry, 'path');
    if (!line.x) continue;
    series.appendChild(join.cloneNode()).setAttribute('d', 'M' + line.x.map((v, i) => `${x(v)},${y(line.y[i])}`).join('L'));
    for (const i in line.t) { stamp(series, entry, paths, x(line.x[i]), y(line.y[i])); hit(series, line.s, x(line.x[i]), y(line.y[i]), line.t[i]); }
  }
  return choice.y + (scale === 'log' && !log ? ', linear since it has zeros' : log ? ', logarithmic' : ', linear');
}
for (const figure of all(document, 'figure[data-chart]')) {
  const controls = figure.querySelector('.controls'), lines = figure.dataset.chart === 'lines';
  const w = figures.workloads.find(w => w.anchor === figure.dataset.w);
  if (!w || !lines && !w.chart) continue;
  if (!lines && !w.tables[w.chart.y].rows.some(r => r.service)) figure.querySelector('.basis').closest('label').hidden = true;
  controls.hidden = false;
  controls.addEventListener('change', () => (lines ? redrawLines : redraw)(figure));
}

// Picking by a table's row.
for (const tr of all(document, 'table tr[data-s]')) {
  const th = tr.querySelector('th'), button = make('button', {type: 'button', class: 'pick', 'aria-pressed': false});
  button.append(...th.childNodes); th.append(button);
  button.onclick = () => pick(workloadOf(tr), tr.dataset.s);
}
document.documentElement.classList.add('js');
})();
