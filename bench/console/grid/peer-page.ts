/**
 * Peer page: the grid of entries in plain React. A virtual list renders all columns; TanStack Query loads and caches pages of a hundred
 * rows. The URL contains the query: `/peer?type=8&query={"fields":[…]}`.
 */
import { QueryClient, QueryClientProvider, useQueries, useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { createElement, useRef } from 'react';
import { createRoot } from 'react-dom/client';

type Row = Readonly<Record<string, unknown>>;
interface RowsResponse {
  totalRecords: number;
  rows: Row[];
}

const PAGE_SIZE = 100;
const ROW_HEIGHT_PX = 36;
const LIST_STYLE = { height: 640, overflow: 'auto' };

const search = new URLSearchParams(location.search);
const type = search.get('type') ?? '';
const baseQuery = JSON.parse(search.get('query') ?? '{}') as {
  fields: string[];
  query?: object;
  orderBy?: string;
};

const buildPageQuery = (at: number) => ({
  queryKey: ['rows', at],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const response = await fetch(`/console/api/rest/v4/data/entrydata/rows/query/${type}`, {
      method: 'POST',
      headers: { 'X-Steward-Console': '1', 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...baseQuery, limit: PAGE_SIZE, skip: at * PAGE_SIZE }),
      signal,
    });
    return response.json() as Promise<RowsResponse>;
  },
});

function formatValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(formatValue).join(', ');
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
  const total = useQuery(buildPageQuery(0)).data?.totalRecords ?? 0;
  // oxlint-disable-next-line react/incompatible-library -- the peer is not compiled by the React compiler
  const virtualizer = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT_PX,
    overscan: 10,
  });
  const items = virtualizer.getVirtualItems();
  const pages = [...new Set(items.map(({ index }) => Math.floor(index / PAGE_SIZE)))];
  const results = useQueries({ queries: pages.map(buildPageQuery) });
  const rowAt = (index: number) =>
    results[pages.indexOf(Math.floor(index / PAGE_SIZE))]?.data?.rows[index % PAGE_SIZE];
  const cells = (row: Row | undefined, index: number) => [
    createElement('td', { key: 'number' }, index + 1),
    ...baseQuery.fields.map((name) => createElement('td', { key: name }, row && formatValue(row[name]))),
  ];
  return createElement(
    'div',
    { ref: scroller, style: LIST_STYLE },
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
          baseQuery.fields.map((name) => createElement('th', { key: name }, name)),
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
              style: { height: ROW_HEIGHT_PX },
            },
            cells(row, index),
          );
        }),
        createElement('tr', { style: { height: virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0) } }),
      ),
    ),
  );
}

const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    createElement(QueryClientProvider, { client: new QueryClient() }, createElement(Peer)),
  );
