// Letters of East Asian scripts are about twice as wide as Latin ones.
const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE4F\uFF00-\uFF60\u{1F300}-\u{1FAFF}]/u;
const letters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** A name as far as so many Latin letters are wide: a drawing has no room that grows. */
export function shortened(name: string, room: number): string {
  let width = 0;
  let shown = '';
  for (const { segment } of letters.segment(name)) {
    width += WIDE.test(segment) ? 2 : 1;
    if (width > room) return `${shown.trimEnd()}…`;
    shown += segment;
  }
  return shown;
}
