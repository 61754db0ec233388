// Exact integers are BigInt; everything a reader sees as a figure passes through here.

/** The exact integer behind a JSON value (a number, or a string when it is past 2^53), or null. */
const integer = (value) => (value === undefined || value === null ? null : BigInt(value));

/** 12345678n as "12,345,678". */
const grouped = (value) => (value === null ? '' : value.toString().replace(/\B(?=(\d{3})+$)/g, ','));

const scaled = (value, base, units) => {
  let size = Number(value);
  let step = 0;
  while (Math.abs(size) >= base && step < units.length - 1) {
    size /= base;
    step += 1;
  }
  const digits = step === 0 || Number.isInteger(size) ? 0 : size < 10 ? 2 : 1;
  return `${Number(size.toFixed(digits))} ${units[step]}`.trim();
};

/** Bytes in binary units: "33.8 MiB". */
const binary = (bytes) => scaled(bytes, 1024, ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB']);

/** A count in decimal units: "17.4 M". */
const decimal = (count) => scaled(count, 1000, ['', 'k', 'M', 'G', 'T', 'P', 'E']);

/** A time in seconds with a readable unit: "12.3 us". */
const duration = (seconds) => {
  const [unit, size] = seconds >= 1 ? ['s', 1] :
      seconds >= 1e-3               ? ['ms', 1e-3] :
      seconds >= 1e-6               ? ['us', 1e-6] :
      seconds >= 1e-9               ? ['ns', 1e-9] :
                                      ['ps', 1e-12];
  return `${Number((seconds / size).toPrecision(4))} ${unit}`;
};

/** "1 point", "2 points". */
const plural = (count, noun) => `${grouped(BigInt(count))} ${noun}${count === 1 ? '' : 's'}`;

/** Text broken into lines of at most `width` characters, at spaces where there are any. */
const wrapped = (text, width = 64) => text.match(new RegExp(`.{1,${width}}(\\s|$)|.{1,${width}}`, 'g')) ?? [];

/** Text cut to what a legend has room for. */
const shortened = (text) => (text.length > 60 ? `${text.slice(0, 59)}\u2026` : text);

/** The name of a bar in lines that leave room for the bar, on a telephone too. */
const barLabel = (text) => wrapped(shortened(text), innerWidth < 600 ? 16 : 44).map((line) => line.trim());

/** A DOM node. String children become text nodes, so nothing in the data is ever parsed as HTML. */
const element = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on'))
      node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false)
      node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
};

/** A labelled drop-down of [value, text] pairs that calls `changed(value)`. */
const chooser = (label, choices, selected, changed) => {
  const options = choices.map(([value, text]) => element('option', {value, selected: value === selected}, text));
  return element('label', {}, label, element('select', {onchange: (event) => changed(event.target.value)}, ...options));
};

/** Offers `parts` as a file called `name`. */
const download = (name, type, parts) => {
  const link = element('a', {href: URL.createObjectURL(new Blob(parts, {type})), download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};
