const OFFERED = ['application/json', 'text/json', 'text/plain'] as const;

/**
 * The media type of an answer: `application/json` unless `Accept` prefers one of the other two offered
 * (spec 4.1 rule 2). What accepts none of them is answered in JSON all the same: an answer beats a 406.
 */
export function answerType(accept: string | undefined): string {
  let best: { type: string; quality: number } = { type: 'application/json', quality: 0 };
  for (const part of (accept ?? '').toLowerCase().split(',')) {
    const [range = '', ...params] = part.split(';').map((piece) => piece.trim());
    const quality = Number(params.find((param) => param.startsWith('q='))?.slice(2) ?? 1);
    const type = OFFERED.find(
      (offered) => range === offered || range === '*/*' || range === `${offered.split('/')[0]}/*`,
    );
    if (type && quality > best.quality) best = { type, quality };
  }
  return `${best.type}; charset=utf-8`;
}
