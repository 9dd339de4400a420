/** What a call of the generated client answers with `throwOnError: false`. */
interface Answer {
  error?: unknown;
  response?: Response;
}

/** How long somebody waits who is told nothing else. */
const OTHERWISE = 10;

/** Longer than this nobody waits in front of a page: it is told instead when the call may come again. */
const MOST = 300;

/** Seconds until a refused call may come again (RFC 9110, Retry-After: seconds or a date). */
export function secondsToWait(response: Response, now = Date.now()): number {
  const said = response.headers.get('retry-after') ?? '';
  const seconds = /^\d+$/.test(said) ? Number(said) : (Date.parse(said) - now) / 1000;
  return Number.isNaN(seconds) ? OTHERWISE : Math.max(1, Math.ceil(seconds));
}

/**
 * Makes a call until it is no longer refused for being one too many (429); `wait` says so meanwhile, and rejects where
 * the person would rather stop. Where the wait would be a long one, the refusal is the answer.
 */
export async function patiently<Told extends Answer>(
  call: () => Promise<Told>,
  wait: (seconds: number) => Promise<void>,
): Promise<Told> {
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- the next try comes after the wait
    const answer = await call();
    if (answer.response?.status !== 429) return answer;
    const seconds = secondsToWait(answer.response);
    if (seconds > MOST) return answer;
    // oxlint-disable-next-line no-await-in-loop
    await wait(seconds);
  }
}
