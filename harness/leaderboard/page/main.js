// What the reader has asked for, kept in the address, so that a view can be linked.
const controls = ['q', 'problem', 'device', 'precision', 'verdict'];
const control = (id) => document.getElementById(id);
const state = { q: '', problem: '', device: '', precision: '', verdict: '', sort: '', direction: 1, page: 0, size: 25, chosen: -1 };
let found = [];
let order = [];

// Values in the address are names, which stay the same when the page is made anew.
const named = {
  problem: data.problems.map((_, number) => problemText(number)),
  device: data.devices,
  precision: classes,
  verdict: data.verdicts,
};

function toAddress() {
  if (state.chosen >= 0) return `#r-${idOf(state.chosen)}`;
  const parts = new URLSearchParams();
  for (const id of controls) {
    if (state[id] !== '') parts.set(id, named[id] && state[id] !== 'ranked' ? named[id][state[id]] : state[id]);
  }
  if (state.sort) parts.set('sort', (state.direction < 0 ? '-' : '') + state.sort);
  if (state.size !== 25) parts.set('rows', state.size);
  if (state.page) parts.set('page', state.page + 1);
  return `#${parts}`;
}

function clear() {
  Object.assign(state, { q: '', problem: '', device: '', precision: '', verdict: '', sort: '', direction: 1, page: 0, chosen: -1 });
}

// A row is shown on its board, so that its rank can be seen among the others.
function chooseRow(row) {
  clear();
  Object.assign(state, { problem: String(rows.problem[row]), device: String(rows.device[row]), precision: String(rows.precision[row]), chosen: row });
}

function fromAddress(address) {
  if (/^#r-[0-9a-f]{12}$/.test(address)) {
    const row = rowOfId(address.slice(3));
    if (row >= 0) chooseRow(row);
    return row >= 0;
  }
  if (address.length > 1 && !address.includes('=')) return false;
  clear();
  const parts = new URLSearchParams(address.slice(1));
  for (const id of controls) {
    const value = parts.get(id) || '';
    const number = named[id] ? named[id].indexOf(value) : -1;
    state[id] = !named[id] || value === 'ranked' ? value : number >= 0 ? String(number) : '';
  }
  const sort = parts.get('sort') || '';
  state.direction = sort.startsWith('-') ? -1 : 1;
  state.sort = keys[sort.replace('-', '')] ? sort.replace('-', '') : '';
  state.size = [25, 100, 250].includes(+parts.get('rows')) ? +parts.get('rows') : 25;
  state.page = Math.max(0, Math.floor(+parts.get('page') || 1) - 1);
  return true;
}

function showStatus() {
  const all = found.length === count ? '' : ` of ${wholeText(count)}`;
  const by = state.sort ? `, by ${state.sort}, ${state.direction > 0 ? 'ascending' : 'descending'}` : '';
  control('status').textContent = `${wholeText(found.length)}${all} candidates${by}`;
  const first = state.page * state.size;
  control('range').textContent = found.length
      ? `${wholeText(first + 1)}\u2013${wholeText(Math.min(first + state.size, found.length))} of ${wholeText(found.length)}` : 'none';
  control('previous').disabled = state.page === 0;
  control('next').disabled = first + state.size >= found.length;
  for (const head of document.querySelectorAll('#table thead th')) {
    const is = head.dataset.sort === state.sort;
    head.setAttribute('aria-sort', !is ? 'none' : state.direction > 0 ? 'ascending' : 'descending');
  }
}

const onlyVerdicts = () => found.length > 0 && found.every((row) => !rows.ms[row]);

function showPage() {
  state.page = Math.max(0, Math.min(state.page, Math.ceil(order.length / state.size) - 1));
  showRows(order.slice(state.page * state.size, (state.page + 1) * state.size), state.chosen, onlyVerdicts());
  showStatus();
}

function update() {
  for (const id of controls) control(id).value = state[id];
  control('size').value = String(state.size);
  found = filtered(state);
  order = sorted(found, state.sort, state.direction);
  if (state.chosen >= 0) state.page = Math.floor(Math.max(0, order.indexOf(state.chosen)) / state.size);
  showPage();
  drawCharts(found);
}

function changed(what) {
  Object.assign(state, { chosen: -1, page: 0 }, what);
  history.replaceState(null, '', toAddress());
  update();
}

function toRow() {
  const shown = state.chosen >= 0 && control(`r-${idOf(state.chosen)}`);
  if (!shown) return;
  shown.scrollIntoView({ block: 'center', behavior: 'instant' });
  shown.querySelector('a').focus({ preventScroll: true });
}

function fillSelects() {
  const used = { problem: new Set(rows.problem), device: new Set(rows.device), precision: new Set(rows.precision), verdict: new Set(rows.verdict) };
  for (const id of Object.keys(used)) {
    const numbers = [...used[id]];
    if (id !== 'precision') numbers.sort((a, b) => (named[id][a] < named[id][b] ? -1 : 1));
    else numbers.sort();
    control(id).append(...numbers.map((number) => element('option', { value: String(number) }, named[id][number])));
  }
}

function turnPage(by) {
  state.page += by;
  state.chosen = -1;
  history.replaceState(null, '', toAddress());
  showPage();
}

function listen() {
  for (const id of controls) control(id).addEventListener('input', () => changed({ [id]: control(id).value }));
  control('filters').addEventListener('submit', (event) => event.preventDefault());
  control('filters').addEventListener('reset', (event) => {
    event.preventDefault();
    clear();
    changed({});
  });
  control('size').addEventListener('input', () => changed({ size: +control('size').value }));
  control('previous').addEventListener('click', () => turnPage(-1));
  control('next').addEventListener('click', () => turnPage(1));
  for (const head of document.querySelectorAll('#table thead th')) {
    const column = head.dataset.sort;
    const button = element('button', { type: 'button' }, head.textContent);
    head.replaceChildren(button);
    button.addEventListener('click', () => {
      changed({ sort: column, direction: state.sort === column ? -state.direction : keys[column].first });
    });
  }
  // A second press on a row that is open closes it and leaves its board.
  control('rows').addEventListener('click', (event) => {
    const link = event.target.closest('a[data-close]');
    if (!link) return;
    event.preventDefault();
    const id = link.dataset.close;
    const page = state.page;
    changed({ page });
    control(`r-${id}`).querySelector('a').focus({ preventScroll: true });
  });
  addEventListener('hashchange', () => {
    if (!fromAddress(location.hash)) return;
    update();
    toRow();
  });
  // On paper there are no pages to turn.
  addEventListener('beforeprint', () => showRows(order.slice(0, Math.max(100, state.size)), state.chosen, onlyVerdicts()));
  addEventListener('afterprint', showPage);
}

document.documentElement.classList.add('ready');
fillSelects();
listen();
fromAddress(location.hash);
update();
// Not before the browser has gone to the place that the address names, which takes the focus away.
if (document.readyState === 'complete') toRow();
else addEventListener('load', () => requestAnimationFrame(toRow));
