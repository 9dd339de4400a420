// Letters without a Unicode decomposition, and their usual replacement on other keyboards.
const PLAIN: Record<string, string> = {
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ı: 'i',
  ʼ: "'",
  '’': "'",
};
const ASCII = /^[ -~]*$/;

/** Removes case and accents, so that a search for "bjorn" finds "Bjørn". */
export function foldText(text: string): string {
  const lower = text.toLowerCase();
  if (ASCII.test(lower)) return lower;
  return lower
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[øłđðþßæœıʼ’]/g, (letter) => PLAIN[letter] ?? letter);
}
