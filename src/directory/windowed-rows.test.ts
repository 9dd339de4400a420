import { expect, test } from 'vitest';
import { toRow } from './engine/row.ts';
import { people } from './service.fixture.ts';
import { createWindowedRows } from './windowed-rows.ts';

test('drops rows that arrive after they were evicted', async () => {
  const rows = people(10_000).map((user) => toRow(user, 1));
  const ids = Int32Array.from(rows, ({ id }) => id);
  const pending: (() => void)[] = [];
  const source = createWindowedRows({ ids, from: 0, rows: [] }, async (wanted) => {
    await new Promise<void>((resolve) => pending.push(resolve));
    return rows.filter(({ id }) => wanted.includes(id));
  });
  source.at(0);
  for (let index = 300; index < 10_000; index += 300) source.at(index);
  for (const answer of pending) answer();
  await new Promise((resolve) => setImmediate(resolve));
  expect(source.at(9900)).toMatchObject({ id: ids[9900] });
  expect(source.at(0)).toBeUndefined();
});
