'use strict';
// Tables that are whole without this script are sorted, filtered and copied with
// it: in a report, and on the pages of a site.
(() => {
const all = (root, sel) => [...root.querySelectorAll(sel)];
const make = (name, attrs, text) => {
  const e = document.createElement(name);
  for (const k in attrs || {}) e.setAttribute(k, attrs[k]);
  if (text !== undefined) e.textContent = text;
  return e;
};
const say = text => { document.getElementById('status').textContent = text; };

function units(table) {
  const out = [];
  for (const tr of table.tBodies[0].rows) if (tr.classList.contains('why') && out.length) out[out.length - 1].push(tr); else out.push([tr]);
  return out;
}
const cellText = td => [...td.childNodes].map(n => n.nodeName === 'SMALL' ? ` [${n.textContent}]` : n.textContent).join('').trim();
const key = (tr, i) => { const v = tr.cells[i].dataset.v; return v === undefined ? cellText(tr.cells[i]) : v === '' ? NaN : Number(v); };
function sortBy(table, th, i) {
  const down = th.getAttribute('aria-sort') === 'ascending';
  all(table, 'th[aria-sort]').forEach(h => h.removeAttribute('aria-sort'));
  th.setAttribute('aria-sort', down ? 'descending' : 'ascending');
  const order = (a, b) => {
    const x = key(a[0], i), y = key(b[0], i);
    if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
    const d = typeof x === 'number' && typeof y === 'number' ? x - y : String(x).localeCompare(String(y), undefined, {numeric: true});
    return down ? -d : d;
  };
  table.tBodies[0].append(...units(table).sort(order).flat());
  say(`sorted by ${th.textContent}, ${th.getAttribute('aria-sort')}`);
}
function rowsOf(table) {
  return [table.tHead.rows[0], ...units(table).map(u => u[0]).filter(tr => !tr.hidden)].map(tr => [...tr.cells].map(cellText));
}
const csv = rows => rows.map(r => r.map(c => { const s = /^[=+@\t\r-]/.test(c) ? "'" + c : c; return /[",\n]/.test(s) ? '"' + s.replaceAll('"', '""') + '"' : s; }).join(',')).join('\n') + '\n';
const markdown = rows => rows.map((r, i) => '| ' + r.map(c => c.replace(/[\\|`*_<>[\]]/g, '\\$&').replace(/\s+/g, ' ')).join(' | ') + ' |' + (i ? '' : '\n' + '|---'.repeat(r.length) + '|')).join('\n') + '\n';
async function copy(text, what) {
  try { await navigator.clipboard.writeText(text); say('copied as ' + what); } catch {
    const area = document.body.appendChild(make('textarea', {'aria-label': 'text to copy'}, text));
    area.select();
    say(document.execCommand('copy') ? 'copied as ' + what : 'could not copy');
    area.remove();
  }
}
for (const table of all(document, 'table')) {
  if (!table.tHead || !table.tBodies[0]) continue;
  [...table.tHead.rows[0].cells].forEach((th, i) => {
    const button = make('button', {type: 'button', class: 'sort'});
    button.append(...th.childNodes); th.append(button);
    button.onclick = () => sortBy(table, th, i);
  });
  const bar = make('div', {class: 'tools'}), name = table.closest('[role=region]').getAttribute('aria-label') || 'table';
  if (units(table).length > 5) {
    const input = make('input', {type: 'search', placeholder: 'filter rows', 'aria-label': 'filter the rows of ' + name});
    input.oninput = () => {
      const want = input.value.toLowerCase();
      for (const u of units(table)) { const hide = !u.some(tr => tr.textContent.toLowerCase().includes(want)); u.forEach(tr => { tr.hidden = hide; }); }
    };
    bar.append(input);
  }
  for (const [label, form] of [['CSV', csv], ['Markdown', markdown]]) {
    const b = make('button', {type: 'button', 'aria-label': `copy ${label}: ${name}`}, 'copy ' + label);
    b.onclick = () => copy(form(rowsOf(table)), label);
    bar.append(b);
  }
  table.closest('.scroll').after(bar);
}
document.documentElement.classList.add('js');
})();
