/** Replacements of letters that Unicode normalization does not decompose, and of signs for "and". */
const TRANSLITERATIONS: Readonly<Record<string, string>> = {
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

/** Legal forms of companies, without dots. */
const LEGAL_FORMS = new Set(
  (
    'inc incorporated corp corporation co company llc llp lp ltd limited plc gmbh mbh ag kg kgaa ohg ug ev eg se sa ' +
    'sas sarl sasu spa srl sl slu bv nv cv ab as asa aps oy oyj pty pte sro zoo doo kk gk sdn bhd and'
  ).split(' '),
);

const FIRST_200_CHARACTERS = /^[^]{0,200}/u;

/**
 * Key that near-duplicate names share (shapes 4, `ignoreNearDups`): the name without case, accents, punctuation, spaces, a leading
 * "the" and trailing legal forms, unless nothing else would remain. Undefined for a name without letters and digits.
 */
export function getNearKey(name: string): string | undefined {
  const normalized = name
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[ßæœøđðłþı&+]/g, (letter) => TRANSLITERATIONS[letter] ?? letter)
    // Apostrophes and dots are part of a word (O'Neil, S.p.A.); other punctuation separates words.
    .replace(/['’‘`´.]/g, '')
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim();
  const words = normalized.split(' ').filter((word) => word !== '');
  if (words.length > 1 && words[0] === 'the') words.shift();
  while (words.length > 1 && LEGAL_FORMS.has(words.at(-1) ?? '')) words.pop();
  const key = FIRST_200_CHARACTERS.exec(words.join(''))?.[0];
  return key === '' ? undefined : key;
}
