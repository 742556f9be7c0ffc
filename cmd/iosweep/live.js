'use strict';
// Asks once a second where the run stands. Texts go in as texts only.
(() => {
const at = id => document.getElementById(id);
let shown = 0;
function show(s) {
  at('place').textContent = s.place; at('label').textContent = s.label; at('rate').textContent = s.rate;
  at('done').max = Math.max(s.trials, 1); at('done').value = s.ended;
  const top = Math.max(...s.throughput, 1);
  at('throughput').setAttribute('d', s.throughput.map((v, i) => `${i ? 'L' : 'M'}${100 * i / Math.max(s.throughput.length - 1, 1)},${29 - 28 * v / top}`).join(''));
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
