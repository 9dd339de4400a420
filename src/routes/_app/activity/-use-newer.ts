import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { gate } from '../../../api/session-gate.ts';
import { counted } from '../../../lib/numbers.ts';
import { announce } from '../../../ui/feedback/live.ts';
import { useStore } from '../../../ui/store.ts';
import { PAGE, readActivity } from './-data.ts';
import { questionSince } from './-question.ts';
import type { ActivityRow } from './-row.ts';
import { joined, NOTHING_NEWER } from './-tail.ts';
import type { Newer } from './-tail.ts';
import type { ActivityView } from './-view.ts';

const LIVE = 4000;
const NOW_AND_THEN = 30_000;
// Whoever listens is not interrupted at every row.
const SAY_EVERY = 15_000;

interface NewerOptions {
  view: ActivityView;
  /** Where the report ends; undefined for a period that is over. */
  since: number | undefined;
  live: boolean;
}

/** What came since: asked for while the page is seen and somebody is signed in. */
function useNewer({ view, since = 0, live, ...rest }: NewerOptions & { on: boolean }) {
  const signedIn = useStore(gate) === 'open';
  const { range: _, ...filters } = view;
  const { data, dataUpdatedAt } = useQuery({
    queryKey: [{ _id: 'queryUserActivity', newer: filters, since }],
    async queryFn({ client, queryKey, signal }) {
      const query = questionSince(view, since);
      const { rows } = await readActivity(query, { pageNumber: 1, pageSize: PAGE }, signal);
      return joined(client.getQueryData<Newer>(queryKey) ?? NOTHING_NEWER, rows, since, PAGE);
    },
    enabled: rest.on && signedIn,
    refetchInterval: live ? LIVE : NOW_AND_THEN,
    // What a report ends with is there; the first look is due after a while.
    initialData: NOTHING_NEWER,
    staleTime: live ? 0 : NOW_AND_THEN,
    gcTime: 0,
    structuralSharing: false,
  });
  return { ...data, asOf: dataUpdatedAt };
}

/** Says now and then how many rows came. */
function useSaid(shown: number, live: boolean): void {
  const said = useRef({ at: 0, rows: 0 });
  useEffect(() => {
    if (!live || shown < said.current.rows) {
      said.current = { at: said.current.at, rows: shown };
      return undefined;
    }
    const more = shown - said.current.rows;
    if (more === 0) return undefined;
    const wait = Math.max(0, said.current.at + SAY_EVERY - Date.now());
    const timer = setTimeout(() => {
      said.current = { at: Date.now(), rows: shown };
      announce(counted(more, 'new row', 'new rows'));
    }, wait);
    return () => clearTimeout(timer);
  }, [shown, live]);
}

/**
 * The rows that came since the report was opened. While `live` they join it by themselves, unless somebody is reading
 * further down or is on a row: then they wait.
 */
export function useTail(options: NewerOptions & { held: boolean }) {
  const { since, live, held } = options;
  const { rows, gap, asOf } = useNewer({ ...options, on: since !== undefined });
  const [kept, setKept] = useState<{ since: number | undefined; rows: readonly ActivityRow[] }>({
    since,
    rows: [],
  });
  const flowing = live && !held && !gap;
  const known = kept.since === since ? kept.rows : [];
  const shown = flowing ? rows : known;
  if (kept.since !== since || (flowing && kept.rows !== rows)) setKept({ since, rows: shown });
  useSaid(shown.length, live);
  return {
    shown,
    /** When it was looked last, while what came is shown at once. */
    asOf: flowing ? asOf : undefined,
    /** How many wait to be looked at. */
    waiting: rows.length - shown.length,
    gap,
    /** Shows those that wait. */
    letIn: () => setKept({ since, rows }),
  };
}
