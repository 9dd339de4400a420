// Letters that Unicode does not take apart, as people type them without the right keyboard.
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

/** Text as search compares it: without case and accents, so that "bjorn" finds "Bjørn". */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  if (ASCII.test(lower)) return lower;
  return lower
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[øłđðþßæœıʼ’]/g, (letter) => PLAIN[letter] ?? letter);
}
