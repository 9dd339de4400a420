/** Letters that Unicode does not take apart, as they are written where nobody has them. */
const SPELLED: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  ı: 'i',
  '&': ' and ',
  '+': ' and ',
};

/** Legal forms of companies, as they are left once points are gone. */
const LEGAL_FORMS = new Set(
  (
    'inc incorporated corp corporation co company llc llp lp ltd limited plc gmbh mbh ag kg kgaa ohg ug ev eg se sa ' +
    'sas sarl sasu spa srl sl slu bv nv cv ab as asa aps oy oyj pty pte sro zoo doo kk gk sdn bhd and'
  ).split(' '),
);

const FIRST_200 = /^[^]{0,200}/u;

/**
 * What two names have in common that probably mean the same: without case, accents, punctuation and spaces, a leading
 * article, and the legal forms at the end, unless nothing else is left. Two names with one key are near-duplicates; a
 * name without letters and digits has none.
 */
export function nearKey(name: string): string | undefined {
  const letters = name
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[ßæœøđðłþı&+]/g, (letter) => SPELLED[letter] ?? letter)
    // What stands inside a word (O'Neil, S.p.A.) joins it, everything else ends it.
    .replace(/['’‘`´.]/g, '')
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim();
  const words = letters.split(' ').filter((word) => word !== '');
  if (words.length > 1 && words[0] === 'the') words.shift();
  while (words.length > 1 && LEGAL_FORMS.has(words.at(-1) ?? '')) words.pop();
  const key = FIRST_200.exec(words.join(''))?.[0];
  return key === '' ? undefined : key;
}
