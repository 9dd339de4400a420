import type { BackupRequestVm } from '../../../contract/generated/types.gen.ts';
import type { Recorder } from '../../kernel/change.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { invalid, notFound } from '../../kernel/http/errors.ts';
import type { EntryType, SiteSchema } from '../schema/index.ts';
import { getSite } from '../sites/index.ts';
import * as store from './store.ts';

/**
 * The entry types that a request asks for; undefined: all. An empty list asks for nothing in particular.
 * @throws ApiError 400 for ids and names together, 404 for a type that the site does not have
 */
export function typesAskedFor(schema: SiteSchema, asked: BackupRequestVm): EntryType[] | undefined {
  const { ids = [], apiNames = [] } = asked;
  if (ids.length > 0 && apiNames.length > 0)
    throw invalid([{ path: 'apiNames', message: 'must not be given together with ids' }]);
  if (ids.length === 0 && apiNames.length === 0) return undefined;
  const found = [
    ...ids.map((id) => ({ name: String(id), type: schema.typesById.get(id) })),
    ...apiNames.map((name) => ({ name, type: schema.typesByName.get(name.toLowerCase()) })),
  ].map(({ name, type }) => {
    if (!type) throw notFound(`Entry type ${name}`);
    return type;
  });
  return [...new Set(found)];
}

/** northwind-20260301-080000.zip, in UTC: letters, digits and dashes whatever the site is called. */
const stemOf = (slug: string, at: Date): string => {
  const [, day = '', time = ''] = /^(\d{8})T(\d{6})/.exec(at.toISOString().replaceAll(/[-:]/g, '')) ?? [];
  return `${slug.replaceAll(/[^A-Za-z0-9-]/g, '-').slice(0, 60)}-${day}-${time}`;
};

/** Queues a backup in the caller's transaction and answers its name; undefined while another one is on its way. */
export async function queueBackup(
  tx: Tx,
  wanted: Omit<store.NewBackup, 'fileName'>,
  record: Recorder,
): Promise<string | undefined> {
  const { slug } = await getSite(tx, wanted.siteId);
  const stem = stemOf(slug, await store.clock(tx));
  const earlier = await store.countNames(tx, wanted.siteId, stem);
  const fileName = `${stem}${earlier === 0 ? '' : `-${earlier + 1}`}.zip`;
  const id = await store.insertBackup(tx, { ...wanted, fileName });
  if (id === undefined) return undefined;
  record({
    action: 'backup.request',
    subject: ['backup', fileName],
    changes: {
      entryTypes: [null, wanted.typeIds ? wanted.entryTypes : 'all'],
      includesFiles: [null, wanted.includesFiles],
      isScheduled: [null, wanted.isScheduled],
    },
  });
  return fileName;
}
