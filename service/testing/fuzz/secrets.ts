/** Secrets that a run knows or that responses issue, to find them in log lines. */

/** Properties of responses that hold a secret, or a list of them. */
const SECRET_PROPERTIES = new Set([
  'access_token',
  'refresh_token',
  'clientSecret',
  'downloadToken',
  'recoveryCodes',
  'secret',
  'token',
]);
/** Links whose last part is a secret, and codes in the address of a client. */
const SECRET_LINK = /\/(?:downloads|files)\/([\w.-]+)$|[?&]code=([\w.-]+)/;
/** Shorter texts, such as codes of six digits, occur by chance. */
const MIN_LENGTH = 10;

/** Finds any of many secrets in a text, in a time that does not grow with their number. */
export class SecretFinder {
  /** The secrets by their first characters. */
  readonly #byStart = new Map<string, Set<string>>();

  add(...secrets: readonly string[]): void {
    for (const secret of secrets) {
      if (secret.length < MIN_LENGTH) continue;
      const start = secret.slice(0, MIN_LENGTH);
      const known = this.#byStart.get(start) ?? new Set();
      this.#byStart.set(start, known.add(secret));
    }
  }

  /** Adds what a response issues: cookies, keys, tokens, links, recovery codes. */
  harvest(body: unknown, cookies: readonly string[]): void {
    for (const cookie of cookies) {
      const value = /^steward[\w-]*=([^;]+)/.exec(cookie)?.[1];
      if (value !== undefined) this.add(value);
    }
    this.#walk(body);
  }

  /** A secret that the text contains; undefined when there is none. */
  find(text: string): string | undefined {
    for (let at = 0; at + MIN_LENGTH <= text.length; at += 1)
      for (const secret of this.#byStart.get(text.slice(at, at + MIN_LENGTH)) ?? [])
        if (text.startsWith(secret, at)) return secret;
    return undefined;
  }

  clear(): void {
    this.#byStart.clear();
  }

  #walk(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, child] of Object.entries(value)) {
      const texts = [child].flat().filter((each) => typeof each === 'string');
      if (SECRET_PROPERTIES.has(name)) this.add(...texts);
      for (const text of texts) {
        const link = SECRET_LINK.exec(text);
        this.add(link?.[1] ?? link?.[2] ?? '');
      }
      this.#walk(child);
    }
  }
}
