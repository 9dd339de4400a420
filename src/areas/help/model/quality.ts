import { z } from 'zod/mini';

const Journey = z.object({ name: z.string(), passed: z.boolean() });

/** Results of the checks of the console, written by `npm run quality` (scripts/quality.ts). */
const QualityReport = z.object({
  /** When the checks ended. */
  measuredAt: z.string(),
  browser: z.string(),
  pages: z.array(
    z.object({
      path: z.string(),
      isAccessible: z.boolean(),
      layoutShift: z.optional(z.number()),
      readyMs: z.optional(z.number()),
    }),
  ),
  keyboard: z.array(Journey),
  /** Missing where no Firefox could be had. */
  firefox: z.optional(
    z.object({
      browser: z.string(),
      pages: z.array(z.object({ path: z.string(), passed: z.boolean() })),
      journeys: z.array(Journey),
    }),
  ),
});
export type QualityReport = z.infer<typeof QualityReport>;
export type JourneyResult = z.infer<typeof Journey>;
/** Results of one page in all browsers. */
export type PageResult = QualityReport['pages'][number] & {
  /** Whether the page works in Firefox; undefined if it was not visited there. */
  worksInFirefox: boolean | undefined;
};

/** Parses the report that was built in; undefined without one, and for one of another form. */
export function parseQualityReport(data: unknown): QualityReport | undefined {
  const result = QualityReport.safeParse(data);
  return result.success && result.data.pages.length > 0 ? result.data : undefined;
}

/** The results of the pages of a report, with those of Firefox. */
export function listPages({ pages, firefox }: QualityReport): PageResult[] {
  const inFirefox = new Map(firefox?.pages.map(({ path, passed }) => [path, passed]));
  return pages.map((page) => ({ ...page, worksInFirefox: inFirefox.get(page.path) }));
}

/** The smallest value that is not exceeded by this share of the values; undefined without values. */
export function getPercentile(values: readonly number[], share: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}

/** Measured requests to one part of the API. */
export interface RequestTimes {
  name: string;
  count: number;
  medianMs: number;
  p95Ms: number;
}

const API_PATH = /\/api\/(?:rest\/(?:v\d+\/)?)?(.+)$/;

/** Path of an API request without version, ids and query: "management/user/{id}"; undefined for other requests. */
export function nameRequest(url: string): string | undefined {
  const path = API_PATH.exec(new URL(url, 'http://localhost').pathname)?.[1];
  return path?.replaceAll(/\/\d+(?=\/|$)/g, '/{id}');
}

/** Times of all requests to the API, and by its part, slowest first. Requests that were answered from a cache have none. */
export function summarizeRequests(requests: readonly { name: string; duration: number }[]): {
  p95Ms: number | undefined;
  parts: RequestTimes[];
} {
  const named = requests.flatMap(({ name, duration }) => {
    const path = nameRequest(name);
    return path === undefined || duration <= 0 ? [] : [{ path, duration }];
  });
  const parts = [...Map.groupBy(named, ({ path }) => path)]
    .map(([name, group]) => {
      const durations = group.map(({ duration }) => duration);
      return {
        name,
        count: group.length,
        medianMs: getPercentile(durations, 0.5) ?? 0,
        p95Ms: getPercentile(durations, 0.95) ?? 0,
      };
    })
    .toSorted((a, b) => b.p95Ms - a.p95Ms);
  return {
    p95Ms: getPercentile(
      named.map(({ duration }) => duration),
      0.95,
    ),
    parts,
  };
}
