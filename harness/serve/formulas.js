'use strict';
// Formulas in LaTeX become MathML, which browsers draw. The build puts this text into the page (cmake/EmbedText.cmake).
// A formula with anything that is not listed here stays text. Nothing is ever parsed as HTML.

class NotUnderstood extends Error {}

function mathElement(name, attributes = {}, ...children) {
  const made = document.createElementNS('http://www.w3.org/1998/Math/MathML', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const longestFormula = 4000;   // characters
const deepestFormula = 30;     // groups inside of each other
const longestUncut = 9;        // items of a formula in a line of text that is never cut

const tableOfSigns = (text) => new Map(text.split(' ').map((pair) => [pair.slice(0, pair.lastIndexOf('=')), pair.slice(pair.lastIndexOf('=') + 1)]));
const letters = tableOfSigns('alpha=α beta=β gamma=γ delta=δ epsilon=ϵ varepsilon=ε zeta=ζ eta=η theta=θ kappa=κ lambda=λ mu=μ nu=ν xi=ξ pi=π ' +
  'rho=ρ sigma=σ tau=τ phi=ϕ varphi=φ chi=χ psi=ψ omega=ω ell=ℓ');
const uprights = tableOfSigns('Gamma=Γ Delta=Δ Theta=Θ Lambda=Λ Pi=Π Sigma=Σ Phi=Φ Psi=Ψ Omega=Ω infty=∞ partial=∂ nabla=∇ dots=… ldots=… cdots=⋯ ' +
  '%=% #=# &=& $=$ _=_');
const binaries = tableOfSigns('+=+ -=− *=∗ cdot=⋅ times=× pm=± odot=⊙ oplus=⊕ circ=∘ bmod=mod');
const relations = new Map([...tableOfSigns('<=< >=> :=: le=≤ leq=≤ ge=≥ geq=≥ ne=≠ neq=≠ approx=≈ sim=∼ equiv=≡ in=∈ notin=∉ to=→ gets=← ' +
  'leftarrow=← rightarrow=→ mid=| propto=∝ ll=≪ gg=≫ subset=⊂ subseteq=⊆'), ['=', '=']]);
const fences = {
  open: tableOfSigns('(=( [=[ {={ lfloor=⌊ lceil=⌈ lVert=‖ lvert=| langle=⟨'),
  close: tableOfSigns(')=) ]=] }=} rfloor=⌋ rceil=⌉ rVert=‖ rvert=| rangle=⟩'),
  bar: tableOfSigns('|=| Vert=‖ vert=|'),
};
const functions = new Set('log ln exp sin cos tan tanh sinh cosh arg det gcd max min sup inf lim argmax argmin'.split(' '));
const withLimits = new Set('max min sup inf lim argmax argmin'.split(' '));
const sums = tableOfSigns('sum=∑ prod=∏');
// Widths in em.
const thin = 1 / 6;
const spaces = { ',': thin, ':': 2 / 9, ';': 5 / 18, ' ': 1 / 4, '!': -thin, quad: 1, qquad: 2 };
const sizes = { big: 1.2, Big: 1.8, bigg: 2.4, Bigg: 3 };
const em = (width) => `${width.toFixed(4)}em`;
const noSpace = { lspace: '0', rspace: '0' };

// Reads a formula into items {kind, made, limits, start, end}. `kind` decides the space around an item: term, inner (fractions and
// what is between \left and \right), function, binary, relation, open, close, bar, comma or space. `limits`: scripts
// stand above and below. `start`, `end`: where it stands in the source.
class FormulaReader {
  constructor(source) {
    if (source.length > longestFormula) throw new NotUnderstood();
    this.tokens = source.match(/\\[a-zA-Z]+|\\[^]|\s+|\d+(?:\.\d+)?|[^]/gu) || [];
    this.starts = [0];
    for (const token of this.tokens) this.starts.push(this.starts.at(-1) + token.length);
    [this.at, this.depth, this.scripts] = [0, 0, 0];
  }

  unknown() { throw new NotUnderstood(); }
  peek() {
    while (/^\s/.test(this.tokens[this.at] ?? '')) this.at += 1;
    return this.tokens[this.at];
  }
  next() {
    const token = this.peek() ?? this.unknown();
    this.at += 1;
    return token;
  }
  expect(token) { if (this.next() !== token) this.unknown(); }

  // The items up to a token that ends them, which is not taken.
  row(ends, isDisplay) {
    if ((this.depth += 1) > deepestFormula) this.unknown();
    const items = [];
    let isInBars = false;
    for (let token = this.peek(); !ends.includes(token); token = this.peek()) {
      const start = this.starts[this.at];
      if (token === '\\textstyle' || token === '\\displaystyle') {
        const displaystyle = String(this.next() === '\\displaystyle');
        items.push({ kind: 'term', made: mathElement('mstyle', { displaystyle }, ...this.spaced(this.row(ends, displaystyle === 'true'))) });
      } else {
        items.push(this.scripted(isDisplay));
      }
      const item = items.at(-1);
      item.isBar = item.kind === 'bar';
      if (item.isBar) item.kind = (isInBars = !isInBars) ? 'open' : 'close';
      Object.assign(item, { start, end: this.starts[this.at] });
    }
    this.depth -= 1;
    return items;
  }

  group(isDisplay) {
    this.expect('{');
    const made = this.spaced(this.row(['}'], isDisplay));
    this.expect('}');
    return made.length === 1 ? made[0] : mathElement('mrow', {}, ...made);
  }

  // The argument of a command: a group, or one item.
  argument(isDisplay) {
    const token = this.peek();
    if (token === '{') return this.group(isDisplay);
    if (/^\d\d|^\d\./.test(token) || (this.depth += 1) > deepestFormula) this.unknown();
    const made = this.spaced([this.item(isDisplay)]);
    this.depth -= 1;
    return made[0];
  }

  // The text of a group without commands: \text{d\_output}.
  words() {
    this.expect('{');
    let text = '';
    for (; this.tokens[this.at] !== '}'; this.at += 1) {
      const token = this.tokens[this.at] ?? this.unknown();
      if (/^[{$]|^\\[^_%#&{} $]/.test(token)) this.unknown();
      text += /^\s/.test(token) ? '\u00a0' : token.replace(/^\\/, '');
    }
    this.expect('}');
    return text;
  }

  // An item with what stands below and above it.
  scripted(isDisplay) {
    const item = /^[\^_]$/.test(this.peek()) ? { kind: 'term', made: mathElement('mrow') } : this.item(isDisplay);
    const scripts = {};
    for (let token = this.peek(); /^[\^_']$/.test(token ?? ''); token = this.peek()) {
      const place = token === '_' ? 'below' : 'above';
      if (scripts[place]) this.unknown();
      if (token === "'") {
        let primes = '';
        for (; this.peek() === "'"; this.at += 1) primes += '′';
        scripts.above = mathElement('mo', noSpace, primes);
        continue;
      }
      this.at += 1;
      this.scripts += 1;
      scripts[place] = this.argument(false);
      this.scripts -= 1;
    }
    const { below, above } = scripts;
    const [one, other, both] = item.limits ? ['munder', 'mover', 'munderover'] : ['msub', 'msup', 'msubsup'];
    if (below || above) item.made = mathElement(below && above ? both : below ? one : other, {}, item.made, ...[below, above].filter((part) => part));
    return item;
  }

  item(isDisplay) {
    const token = this.next();
    const element = (kind, name, attributes, ...children) => ({ kind, made: mathElement(name, attributes, ...children) });
    if (/^\d/.test(token)) return element('term', 'mn', {}, token);
    if (/^\p{L}$/u.test(token)) return element('term', 'mi', {}, token);
    if (/^[/.!]$/.test(token)) return element('term', 'mo', { ...noSpace, stretchy: 'false' }, token);
    if (/^[,;]$/.test(token)) return element('comma', 'mo', { lspace: '0', rspace: this.scripts ? '0' : em(thin) }, token);
    if (token === '{') {
      this.at -= 1;
      return { kind: 'term', made: this.group(isDisplay) };
    }
    const name = token.replace(/^\\(?=.)/, '');
    if (name === token ? /^[}&]$/.test(token) : /^[^a-zA-Z,:; !%#&$_{}|]/.test(name)) this.unknown();
    if (name !== token) {
      if (letters.has(name)) return element('term', 'mi', {}, letters.get(name));
      if (uprights.has(name)) return element('term', 'mi', { mathvariant: 'normal' }, uprights.get(name));
      if (Object.hasOwn(spaces, name)) return { ...element('space', 'mspace', { width: em(spaces[name]) }), isWide: spaces[name] >= 1 };
      if (sums.has(name)) return { ...element('function', 'mo', noSpace, sums.get(name)), limits: isDisplay };
      if (functions.has(name)) return { ...element('function', 'mi', { mathvariant: 'normal' }, name), limits: isDisplay && withLimits.has(name) };
    }
    if (name === '|' && name !== token) return element('bar', 'mo', { ...noSpace, stretchy: 'false' }, '‖');
    if (binaries.has(name)) return element('binary', 'mo', {}, binaries.get(name));
    if (relations.has(name)) return element('relation', 'mo', {}, relations.get(name));
    for (const [kind, table] of Object.entries(fences)) {
      if (table.has(name)) return element(kind, 'mo', { ...noSpace, stretchy: 'false' }, table.get(name));
    }
    const height = Object.entries(sizes).find(([size]) => name === size || name === `${size}l` || name === `${size}r`)?.[1];
    if (height) {
      const [kind, text] = this.fence();
      return element(kind, 'mo', { ...noSpace, stretchy: 'true', symmetric: 'true', minsize: em(height), maxsize: em(height) }, text);
    }
    switch (name) {
      case 'operatorname': return element('function', 'mi', { mathvariant: 'normal' }, this.words());
      case 'text': case 'mathrm': return element('term', 'mtext', {}, this.words());
      case 'sqrt': return this.peek() === '[' ? this.unknown() : element('term', 'msqrt', {}, this.argument(isDisplay));
      case 'frac': return element('inner', 'mfrac', {}, this.argument(false), this.argument(false));
      case 'tfrac': return element('inner', 'mfrac', { displaystyle: 'false' }, this.argument(false), this.argument(false));
      case 'left': return this.fenced(isDisplay);
      case 'begin': return this.environment();
      default: return this.unknown();
    }
  }

  // [kind, text] of the next fence.
  fence() {
    const name = this.next().replace(/^\\/, '');
    const [kind, table] = Object.entries(fences).find(([, each]) => each.has(name)) || [];
    return kind ? [kind, table.get(name)] : name === '.' ? ['open', ''] : this.unknown();
  }

  // \left( ... \right): the fences are as high as what is inside.
  fenced(isDisplay) {
    const mark = () => mathElement('mo', { ...noSpace, stretchy: 'true', symmetric: 'true' }, this.fence()[1]);
    const first = mark();
    const items = this.row(['\\right'], isDisplay);
    this.expect('\\right');
    return { kind: 'inner', made: mathElement('mrow', {}, first, ...this.spaced(items), mark()) };
  }

  environment() {
    const name = this.words();
    if (name !== 'aligned' && name !== 'cases') this.unknown();
    const isAligned = name === 'aligned';
    const rows = [[]];
    for (let token = ''; token !== '\\end';) {
      const items = this.row(['&', '\\\\', '\\end'], isAligned);
      rows.at(-1).push(mathElement('mtd', {}, ...this.spaced(items, rows.at(-1).length ? 'term' : '')));
      token = this.next();
      if (token === '\\\\') rows.push([]);
    }
    if (this.words() !== name) this.unknown();
    if (rows.at(-1).every((cell) => !cell.childNodes.length)) rows.pop();
    const table = mathElement('mtable', { class: name, displaystyle: String(isAligned) }, ...rows.map((cells) => mathElement('mtr', {}, ...cells)));
    if (isAligned) return { kind: 'inner', made: table };
    const brace = mathElement('mo', { ...noSpace, stretchy: 'true', symmetric: 'true' }, '{');
    return { kind: 'inner', made: mathElement('mrow', {}, brace, table) };
  }

  // The elements of a row with TeX's spaces between them; scripts have none. `last`: the kind of what stands before the row.
  spaced(items, last = '') {
    const made = [];
    for (const { kind, isBar, made: element } of items) {
      const follows = ['term', 'inner', 'function', 'close'].includes(last);
      if (kind === 'binary' || kind === 'relation') {
        const sign = element.localName === 'mo' ? element : element.firstElementChild;
        const isPrefix = kind === 'binary' && !follows; // as in -1
        const space = isPrefix || (this.scripts && sign.textContent !== 'mod') ? '0' : em(kind === 'binary' ? 2 / 9 : 5 / 18);
        for (const [name, value] of Object.entries({ form: isPrefix ? 'prefix' : 'infix', lspace: space, rspace: space })) sign.setAttribute(name, value);
      }
      const isThin = kind === 'function' || kind === 'inner' ? follows
          : last === 'inner' ? kind === 'term' || kind === 'open' : last === 'function' && (kind === 'term' || (isBar && kind === 'open'));
      if (isThin && !this.scripts) made.push(mathElement('mspace', { width: em(thin) }));
      made.push(element);
      last = kind === 'space' && last !== 'function' ? last : kind;
    }
    return made;
  }
}

// Items that a wide space separates from others.
function groupsOf(items) {
  const groups = [[]];
  for (const item of items) item.isWide ? groups.push([]) : groups.at(-1).push(item);
  return groups.filter((group) => group.length);
}

// The items in parts that a browser keeps in one line. A formula of its own may be cut before signs between terms that no
// bracket encloses, and a long one in a line of text after commas and signs.
function partsOf(items, isDisplay) {
  const isSign = ({ kind }) => kind === 'binary' || kind === 'relation';
  if (!isDisplay && items.length <= longestUncut) return [items];
  const parts = [[]];
  let depth = 0;
  items.forEach((item, at) => {
    depth += item.kind === 'open' ? 1 : item.kind === 'close' ? -1 : 0;
    if (isDisplay && isSign(item) && depth === 0 && at > 0) parts.push([]);
    parts.at(-1).push(item);
    if (!isDisplay && (isSign(item) || item.kind === 'comma')) parts.push([]);
  });
  return parts.filter((part) => part.length);
}

// What shows a formula: groups of <math> elements with their source as alternative text. Null if it has something that is
// not understood.
function formulaOf(source, isDisplay) {
  try {
    const reader = new FormulaReader(source);
    const items = reader.row([undefined], isDisplay);
    return (isDisplay ? groupsOf(items) : [items]).map((group) => {
      let before = '';
      return partsOf(group, isDisplay).map((part) => {
        const alttext = source.slice(part[0]?.start, part.at(-1)?.end).trim();
        const shown = mathElement('math', { alttext, displaystyle: String(isDisplay) }, ...reader.spaced(part, before));
        before = part.at(-1)?.kind;
        return shown;
      });
    });
  } catch (error) {
    if (error instanceof NotUnderstood) return null;
    throw error;
  }
}
