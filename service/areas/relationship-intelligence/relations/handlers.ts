import { toAddressKey } from '../../../kernel/email.ts';
import { type Handlers, ok } from '../../../kernel/http/handler.ts';
import { parsePage } from '../../../kernel/http/parameters.ts';
import { listRelations } from './relations.store.ts';
import { tryExclusion } from './trial.store.ts';

export const relationHandlers: Handlers<'listRelationships' | 'tryExclusion'> = {
  async listRelationships({ readDb, caller, query }) {
    const { pageNumber: _number, pageSize: _size, address, domain, ...others } = query;
    const filter = {
      ...others,
      ...(address !== undefined && { address: toAddressKey(address) }),
      ...(domain !== undefined && { domain: toAddressKey(domain) }),
    };
    return ok(await listRelations(readDb, caller.siteId, filter, parsePage(query)));
  },

  async tryExclusion({ readDb, caller, body }) {
    const readsNames = caller.capabilities.has('Access 4. Relationship Intelligence');
    return ok(await tryExclusion(readDb, caller.siteId, toAddressKey(body.value), readsNames));
  },
};
