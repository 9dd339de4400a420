/** What of a file is here, and which file it was. */
export interface Place {
  received: number;
  /** As the first answer said it; undefined where it said nothing. */
  etag: string | undefined;
}

/** What of an answer says whether its bytes may be put behind those that are here. */
interface Head {
  status: number;
  etag: string | null;
  contentRange: string | null;
}

/**
 * What to do with an answer. `take`: its bytes come next; `over`: it is the same file from its beginning; `changed`:
 * it is another file by now; `ended`: the link holds no longer; `foreign`: it is bound to another address (spec 4.3);
 * `refused`: nothing will come of it; `later`: another try may help.
 */
export type Verdict = 'take' | 'over' | 'changed' | 'ended' | 'foreign' | 'refused' | 'later';

const WEAK = /^W\//;

/** Asks for the rest, and for that only if the file is still the same (RFC 9110, 13.1.5: a weak tag cannot say so). */
export function rangeHeaders({ received, etag }: Place): Record<string, string> {
  if (received === 0) return {};
  const range = { Range: `bytes=${received}-` };
  return etag === undefined || WEAK.test(etag) ? range : { ...range, 'If-Range': etag };
}

const startOf = (contentRange: string | null): number | undefined => {
  const [, start] = /^bytes (\d+)-/.exec(contentRange ?? '') ?? [];
  return start === undefined ? undefined : Number(start);
};

/** Reads what came back when the rest was asked for. */
export function judge({ received, etag }: Place, { status, ...head }: Head): Verdict {
  const isOther = etag !== undefined && head.etag !== null && head.etag !== etag;
  switch (status) {
    case 200:
      if (received === 0) return 'take';
      return etag !== undefined && head.etag === etag ? 'over' : 'changed';
    case 206:
      return isOther || startOf(head.contentRange) !== received ? 'changed' : 'take';
    case 403:
      return 'foreign';
    case 404:
    case 410:
      return 'ended';
    case 416:
      return 'changed';
    default:
      return status === 429 || status >= 500 ? 'later' : 'refused';
  }
}
