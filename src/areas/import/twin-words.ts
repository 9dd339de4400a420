/** Why a column is passed over whose heading another one has, too: the first is taken. */
export function twinWords(headings: readonly string[], at: number): string | undefined {
  const heading = headings[at]?.toLowerCase() ?? '';
  const first = headings.findIndex((one) => one.toLowerCase() === heading);
  return heading !== '' && first < at ? 'Another column is called so' : undefined;
}
