// What the reader has asked for, kept in the address, so that a view can be linked.
const controls = ['q', 'problem', 'device', 'precision', 'verdict'];
const control = (id) => document.getElementById(id);
const state = { q: '', problem: '', device: '', precision: '', verdict: '', sort: '', direction: 1, page: 0, size: 25, chosen: null };
let found = [];
let order = [];

function toAddress() {
  if (state.chosen) return `#r-${state.chosen.id}`;
  const parts = new URLSearchParams();
  for (const id of controls) {
    if (state[id] !== '') parts.set(id, state[id]);
  }
  if (state.sort) parts.set('sort', (state.direction < 0 ? '-' : '') + state.sort);
  if (state.size !== 25) parts.set('rows', state.size);
  if (state.page) parts.set('page', state.page + 1);
  return `#${parts}`;
}

function clear() {
  Object.assign(state, { q: '', problem: '', device: '', precision: '', verdict: '', sort: '', direction: 1, page: 0, chosen: null });
}

// A row is shown on its board, so that its rank can be seen among the others.
function chooseRow(row) {
  clear();
  Object.assign(state, { problem: row.problem, device: row.device, precision: row.precision, chosen: row });
}

function fromAddress(address) {
  if (/^#r-[0-9a-f]{12}$/.test(address)) {
    const row = rows.find(({ id }) => id === address.slice(3));
    if (row) chooseRow(row);
    return Boolean(row);
  }
  if (address.length > 1 && !address.includes('=')) return false;
  clear();
  const parts = new URLSearchParams(address.slice(1));
  for (const id of controls) {
    // A choice that a list does not have leaves it empty.
    control(id).value = parts.get(id) || '';
    state[id] = control(id).value;
  }
  const sort = parts.get('sort') || '';
  state.direction = sort.startsWith('-') ? -1 : 1;
  state.sort = keys[sort.replace('-', '')] ? sort.replace('-', '') : '';
  state.size = [25, 100, 250].includes(+parts.get('rows')) ? +parts.get('rows') : 25;
  state.page = Math.max(0, Math.floor(+parts.get('page') || 1) - 1);
  return true;
}

function showStatus() {
  const all = found.length === rows.length ? '' : ` of ${wholeText(rows.length)}`;
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

const onlyVerdicts = () => found.length > 0 && found.every((row) => !row.ms);

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
  if (state.chosen) state.page = Math.floor(Math.max(0, order.indexOf(state.chosen)) / state.size);
  showPage();
  drawCharts(found);
}

function changed(what) {
  Object.assign(state, { chosen: null, page: 0 }, what);
  history.replaceState(null, '', toAddress());
  update();
}

function toRow() {
  const shown = state.chosen && control(`r-${state.chosen.id}`);
  if (!shown) return;
  shown.scrollIntoView({ block: 'center', behavior: 'instant' });
  shown.querySelector('a').focus({ preventScroll: true });
}

function fillSelects() {
  for (const id of controls.slice(1)) {
    const values = [...new Set(rows.map((row) => row[id]))];
    values.sort((a, b) => classes.indexOf(a) - classes.indexOf(b) || compare(a, b));
    control(id).append(...values.map((value) => element('option', { value }, value)));
  }
}

function turnPage(by) {
  state.page += by;
  state.chosen = null;
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
    head.firstElementChild.addEventListener('click', () => {
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
fillSolutions();
listen();
fromAddress(location.hash);
update();
// Not before the browser has gone to the place that the address names, which takes the focus away.
if (document.readyState === 'complete') toRow();
else addEventListener('load', () => requestAnimationFrame(toRow));
