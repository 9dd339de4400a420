/**
 * The same grid as one writes it at first: a virtual list of all rows, pages of a hundred through a cache of queries,
 * every column drawn. What is asked for stands in the address: `/peer?type=8&ask={"fields":[…]}`.
 */
import { QueryClient, QueryClientProvider, useQueries, useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { createElement, useRef } from 'react';
import { createRoot } from 'react-dom/client';

type Row = Readonly<Record<string, unknown>>;
interface Answer {
  totalRecords: number;
  rows: Row[];
}

const PAGE = 100;
const ROW = 36;
const LIST = { height: 640, overflow: 'auto' };

const search = new URLSearchParams(location.search);
const type = search.get('type') ?? '';
const ask = JSON.parse(search.get('ask') ?? '{}') as { fields: string[]; query?: object; orderBy?: string };

const page = (at: number) => ({
  queryKey: ['rows', at],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const response = await fetch(`/console/api/rest/v4/data/entrydata/rows/query/${type}`, {
      method: 'POST',
      headers: { 'X-Steward-Console': '1', 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...ask, limit: PAGE, skip: at * PAGE }),
      signal,
    });
    return response.json() as Promise<Answer>;
  },
});

function text(value: unknown): string {
  if (Array.isArray(value)) return value.map(text).join(', ');
  if (typeof value === 'object' && value !== null) {
    if ('name' in value) return String(value.name);
    if ('currencyCode' in value && 'value' in value)
      return `${String(value.currencyCode)} ${String(value.value)}`;
    return JSON.stringify(value);
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}

function Peer() {
  const scroller = useRef<HTMLDivElement>(null);
  const total = useQuery(page(0)).data?.totalRecords ?? 0;
  // oxlint-disable-next-line react/incompatible-library
  const list = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 10,
  });
  const items = list.getVirtualItems();
  const pages = [...new Set(items.map(({ index }) => Math.floor(index / PAGE)))];
  const answers = useQueries({ queries: pages.map(page) });
  const rowAt = (index: number) => answers[pages.indexOf(Math.floor(index / PAGE))]?.data?.rows[index % PAGE];
  const cells = (row: Row | undefined, index: number) => [
    createElement('td', { key: 'number' }, index + 1),
    ...ask.fields.map((name) => createElement('td', { key: name }, row && text(row[name]))),
  ];
  return createElement(
    'div',
    { ref: scroller, style: LIST },
    createElement(
      'table',
      { role: 'grid', 'aria-rowcount': total + 1, style: { whiteSpace: 'nowrap', borderSpacing: 0 } },
      createElement(
        'thead',
        { style: { position: 'sticky', top: 0 } },
        createElement(
          'tr',
          null,
          createElement('th', null, '#'),
          ask.fields.map((name) => createElement('th', { key: name }, name)),
        ),
      ),
      createElement(
        'tbody',
        null,
        createElement('tr', { style: { height: items[0]?.start ?? 0 } }),
        items.map(({ index }) => {
          const row = rowAt(index);
          return createElement(
            'tr',
            {
              key: index,
              'aria-rowindex': index + 2,
              'aria-busy': row ? undefined : true,
              style: { height: ROW },
            },
            cells(row, index),
          );
        }),
        createElement('tr', { style: { height: list.getTotalSize() - (items.at(-1)?.end ?? 0) } }),
      ),
    ),
  );
}

const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    createElement(QueryClientProvider, { client: new QueryClient() }, createElement(Peer)),
  );
