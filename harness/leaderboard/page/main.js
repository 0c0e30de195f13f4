// What the reader has asked for, kept in the address, so that a view can be linked. Filters hold in every view, and
// opening a row changes none of them.
const views = ['problems', 'results', 'charts', 'solutions', 'reading'];
const controls = ['q', 'device', 'precision'];
const control = (id) => document.getElementById(id);
const asked = { q: '', problem: '', device: '', precision: '', show: '' };
const state = { ...asked, view: 'problems', sort: '', direction: 1, page: 0, size: 25, chosen: null, allCards: false };
let found = [];
let order = [];
let drawnWidth = 0;

function toAddress() {
  const parts = new URLSearchParams();
  if (state.view !== 'problems') parts.set('view', state.view);
  for (const key of Object.keys(asked)) {
    if (state[key] !== '') parts.set(key, state[key]);
  }
  if (state.sort) parts.set('sort', (state.direction < 0 ? '-' : '') + state.sort);
  if (state.size !== 25) parts.set('rows', state.size);
  if (state.page) parts.set('page', state.page + 1);
  if (state.chosen) parts.set('row', state.chosen.id);
  return `#${parts}`;
}

function clear() {
  Object.assign(state, asked, { sort: '', direction: 1, page: 0, chosen: null, allCards: false });
}

const rowCalled = (id) => rows.find((row) => row.id === id) || null;

// A link to a row shows it on its board, so that its rank can be seen among the others.
function chooseRow(row) {
  clear();
  Object.assign(state, { view: 'results', problem: row.problem, device: row.device, precision: row.precision, chosen: row });
}

function fromAddress(address) {
  if (/^#r-[0-9a-f]{12}$/.test(address)) {
    const row = rowCalled(address.slice(3));
    if (row) chooseRow(row);
    return Boolean(row);
  }
  if (address.length > 1 && !address.includes('=')) return false;
  clear();
  const parts = new URLSearchParams(address.slice(1));
  state.view = views.includes(parts.get('view')) ? parts.get('view') : 'problems';
  for (const key of Object.keys(asked)) state[key] = parts.get(key) || '';
  // A choice that a list does not have leaves it empty.
  for (const key of ['device', 'precision']) {
    control(key).value = state[key];
    state[key] = control(key).value;
  }
  if (!kinds[state.show]) state.show = '';
  if (!boards.some((board) => board.name === state.problem)) state.problem = '';
  const sort = parts.get('sort') || '';
  state.direction = sort.startsWith('-') ? -1 : 1;
  state.sort = keys[sort.replace('-', '')] ? sort.replace('-', '') : '';
  state.size = [25, 100, 250].includes(+parts.get('rows')) ? +parts.get('rows') : 25;
  state.page = Math.max(0, Math.floor(+parts.get('page') || 1) - 1);
  state.chosen = parts.has('row') ? rowCalled(parts.get('row')) : null;
  return true;
}

const onlyVerdicts = () => found.length > 0 && found.every((row) => !row.ms);

function showTable() {
  if (state.chosen && order.includes(state.chosen)) state.page = Math.floor(order.indexOf(state.chosen) / state.size);
  state.page = Math.max(0, Math.min(state.page, Math.ceil(order.length / state.size) - 1));
  showRows(order.slice(state.page * state.size, (state.page + 1) * state.size), state.chosen, onlyVerdicts());
  const first = state.page * state.size;
  control('range').textContent = found.length
      ? `${wholeText(first + 1)}\u2013${wholeText(Math.min(first + state.size, found.length))} of ${wholeText(found.length)}` : 'none';
  control('pager').hidden = found.length <= 25;
  control('previous').disabled = state.page === 0;
  control('next').disabled = first + state.size >= found.length;
  control('size').value = String(state.size);
  control('order').value = state.sort;
  for (const head of document.querySelectorAll('#table thead th')) {
    const is = head.dataset.sort === state.sort;
    head.setAttribute('aria-sort', !is ? 'none' : state.direction > 0 ? 'ascending' : 'descending');
  }
}

// A button for each kind of result that there is, with how many the other filters let through.
function showKinds() {
  const every = filtered(state, '');
  control('kinds').replaceChildren(...Object.entries(kinds).flatMap(([kind, { label, has }]) => {
    const count = every.filter(has).length;
    if (!rows.some(has) && kind !== 'ranked' && kind !== 'beats') return [];
    return [element('button', { type: 'button', 'data-kind': kind, 'aria-pressed': String(kind === state.show) },
        `${label} `, element('span', {}, wholeText(count)))];
  }));
}

function showStatus() {
  const names = new Set(found.map((row) => row.board.problem));
  const by = state.sort ? `, by ${state.sort}, ${state.direction > 0 ? 'ascending' : 'descending'}` : '';
  const of = found.length === rows.length ? '' : ` of ${wholeText(rows.length)}`;
  control('status').textContent = `${wholeText(found.length)}${of} ${rows.length === 1 ? 'result' : 'results'} on ${countText(names.size, 'problem')}${state.view === 'results' ? by : ''}`;
  const pill = control('only');
  pill.hidden = !state.problem;
  pill.textContent = `${state.problem} \u00d7`;
  pill.setAttribute('aria-label', `Show all problems, not only ${state.problem}`);
}

function showView() {
  for (const view of views) control(`view-${view}`).hidden = view !== state.view;
  for (const tab of document.querySelectorAll('nav a[data-view]')) {
    if (tab.dataset.view === state.view) tab.setAttribute('aria-current', 'page');
    else tab.removeAttribute('aria-current');
  }
  control('filters').hidden = state.view === 'solutions' || state.view === 'reading';
  if (state.view === 'problems') showCards(found, state);
  else control('cards').replaceChildren();
  if (state.view === 'results') showTable();
  if (state.view === 'charts') {
    drawnWidth = document.documentElement.clientWidth;
    drawCharts(found);
  }
}

function update() {
  for (const id of controls) control(id).value = state[id];
  found = filtered(state);
  order = sorted(found, state.sort, state.direction);
  showKinds();
  showStatus();
  showView();
}

function changed(what) {
  Object.assign(state, { chosen: null, page: 0, allCards: false }, what);
  history.replaceState(null, '', toAddress());
  update();
}

function toRow() {
  const shown = state.view === 'results' && state.chosen && control(`r-${state.chosen.id}`);
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
  control('order').append(...[...document.querySelectorAll('#table thead th')].map((head) =>
    element('option', { value: head.dataset.sort }, head.querySelector('button').textContent)));
}

function turnPage(by) {
  changed({ page: state.page + by });
}

// Opens or closes a row; everything else stays as it is.
function toggleRow(id) {
  const row = rowCalled(id);
  const page = state.page;
  state.chosen = state.chosen === row ? null : row;
  state.page = page;
  history.replaceState(null, '', toAddress());
  showTable();
  control(`r-${id}`).querySelector('a').focus({ preventScroll: true });
}

const isPlain = (event) => !(event.ctrlKey || event.metaKey || event.shiftKey || event.button);

// A view or a problem is a new place for the browser's button Back.
function goTo(what) {
  Object.assign(state, { chosen: null, page: 0 }, what);
  history.pushState(null, '', toAddress());
  update();
}

function listenToTable() {
  control('size').addEventListener('input', () => changed({ size: +control('size').value }));
  control('order').addEventListener('input', () => changed({ sort: control('order').value, direction: (keys[control('order').value] || { first: 1 }).first }));
  control('previous').addEventListener('click', () => turnPage(-1));
  control('next').addEventListener('click', () => turnPage(1));
  for (const head of document.querySelectorAll('#table thead th')) {
    const column = head.dataset.sort;
    head.firstElementChild.addEventListener('click', () => {
      changed({ sort: column, direction: state.sort === column ? -state.direction : keys[column].first });
    });
  }
  control('rows').addEventListener('click', (event) => {
    const link = event.target.closest('a[data-row]');
    if (!link || !isPlain(event)) return;
    event.preventDefault();
    toggleRow(link.dataset.row);
  });
}

function listen() {
  for (const id of controls) control(id).addEventListener('input', () => changed({ [id]: control(id).value }));
  control('filters').addEventListener('submit', (event) => event.preventDefault());
  control('filters').addEventListener('reset', (event) => {
    event.preventDefault();
    clear();
    changed({});
  });
  control('only').addEventListener('click', () => changed({ problem: '' }));
  control('kinds').addEventListener('click', (event) => {
    const button = event.target.closest('button');
    if (!button) return;
    const kind = button.dataset.kind;
    changed({ show: kind });
    control('kinds').querySelector(`[data-kind="${kind}"]`).focus();
  });
  control('tabs').addEventListener('click', (event) => {
    const tab = event.target.closest('a[data-view]');
    if (!tab || !isPlain(event)) return;
    event.preventDefault();
    goTo({ view: tab.dataset.view });
  });
  control('cards').addEventListener('click', (event) => {
    if (event.target.id === 'all-cards') changed({ allCards: true });
    const link = event.target.closest('a[data-problem]');
    if (!link || !isPlain(event)) return;
    event.preventDefault();
    goTo({ view: 'results', problem: link.dataset.problem });
    control('results').scrollIntoView({ behavior: 'instant' });
    control('results').focus({ preventScroll: true });
  });
  listenToTable();
  for (const event of ['hashchange', 'popstate']) {
    addEventListener(event, () => {
      if (!fromAddress(location.hash)) return;
      update();
      toRow();
    });
  }
  addEventListener('resize', () => {
    if (state.view === 'charts' && document.documentElement.clientWidth !== drawnWidth) showView();
  });
  // The heads of the table stay below the filters that stay in sight.
  new ResizeObserver(([entry]) => {
    document.documentElement.style.setProperty('--filters', `${Math.ceil(entry.target.getBoundingClientRect().height)}px`);
  }).observe(control('filters'));
  // On paper there are no pages to turn.
  addEventListener('beforeprint', () => showRows(order.slice(0, Math.max(100, state.size)), state.chosen, onlyVerdicts()));
  addEventListener('afterprint', showView);
}

document.documentElement.classList.add('ready');
// On a phone the results come before what is known to those who have been here.
if (document.documentElement.clientWidth < 960) control('terms').open = false;
fillSelects();
fillSolutions();
listen();
fromAddress(location.hash);
update();
// Not before the browser has gone to the place that the address names, which takes the focus away.
if (document.readyState === 'complete') toRow();
else addEventListener('load', () => requestAnimationFrame(toRow));
