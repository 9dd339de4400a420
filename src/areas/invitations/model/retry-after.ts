/** Result of the generated client with `throwOnError: false`. */
interface Answer {
  error?: unknown;
  response?: Response;
}

/** Wait if the header is missing or invalid. */
const DEFAULT_WAIT_SECONDS = 10;

/** Longest wait; for longer ones the refusal is returned. */
const MAX_WAIT_SECONDS = 300;

/** Seconds until a refused call may be repeated (RFC 9110, Retry-After: seconds or a date). */
export function getRetryAfterSeconds(response: Response, now = Date.now()): number {
  const text = response.headers.get('retry-after') ?? '';
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - now) / 1000;
  return Number.isNaN(seconds) ? DEFAULT_WAIT_SECONDS : Math.max(1, Math.ceil(seconds));
}

/**
 * Repeats a call while it is rate-limited (429). `wait` is called before each retry and rejects to stop. If the wait
 * would be too long, the refusal is returned.
 */
export async function retryWhenLimited<Told extends Answer>(
  call: () => Promise<Told>,
  wait: (seconds: number) => Promise<void>,
): Promise<Told> {
  for (;;) {
    // The next try comes after the wait.
    const answer = await call();
    if (answer.response?.status !== 429) return answer;
    const seconds = getRetryAfterSeconds(answer.response);
    if (seconds > MAX_WAIT_SECONDS) return answer;
    await wait(seconds);
  }
}
