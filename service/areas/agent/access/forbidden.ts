/** Forbidding parts of the schema to all agents of a site; decision 0091. */
import type { AgentForbidden, AgentForbiddenChange } from '../../../../contract/generated/types.gen.ts';
import { badRequest, conflict, notFound } from '../../../kernel/api-error.ts';
import { change, getActor } from '../../../kernel/audit/change.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { type Handlers, ok } from '../../../kernel/http/handler.ts';
import { loadSchema, type SiteSchema } from '../../schema/index.ts';
import { createReadRules, listHiddenFields } from '../tools/read-rules.ts';
import { requireLicensed } from './require-usable.ts';
import { type AgentSite, findAgentSite, type ForbiddenPart, setForbidden } from './settings.store.ts';

/** The lists are read with every message of an agent. */
const MAX_FORBIDDEN = 2_000;

export const forbiddenHandlers: Handlers<'forbidToAgents'> = {
  async forbidToAgents(call) {
    const { siteId } = call.caller;
    const { isForbidden } = call.body;
    const site = await findAgentSite(call.db, siteId);
    requireLicensed(site);
    const schema = await loadSchema(call.db, siteId);
    const { part, name, known } = findPart(call.body, schema, site);
    if (isForbidden && !known) throw notFound(name);
    await change(call.db, getActor(call), async (tx, record) => {
      if (!(await setForbidden(tx, siteId, part, isForbidden))) return;
      const { forbiddenTypeIds, forbiddenFieldIds } = await findAgentSite(tx, siteId);
      if (isForbidden && forbiddenTypeIds.length + forbiddenFieldIds.length > MAX_FORBIDDEN)
        throw conflict(`At most ${MAX_FORBIDDEN} entry types and fields can be forbidden to agents`);
      const values = { ...part, name };
      record({
        action: isForbidden ? 'agents.forbid' : 'agents.allow',
        subject: ['agent-server', siteId, name],
        changes: Object.fromEntries(
          Object.entries(values).map(([property, value]) => [
            property,
            isForbidden ? [null, value] : [value, null],
          ]),
        ),
      });
    });
    return ok(await loadForbidden(call.db, siteId, await findAgentSite(call.db, siteId)));
  },
};

/** The type or field that a change names. @throws ApiError 400, 404 */
function findPart(
  { entryTypeId, fieldId }: AgentForbiddenChange,
  { typesById, fieldsById }: SiteSchema,
  site: AgentSite,
): { part: ForbiddenPart; name: string; known: boolean } {
  const isOne = (entryTypeId === undefined) !== (fieldId === undefined);
  if (!isOne) throw badRequest([{ path: 'fieldId', message: 'or entryTypeId is required, and not both' }]);
  if (entryTypeId !== undefined) {
    const type = typesById.get(entryTypeId);
    if (!type && !site.forbiddenTypeIds.includes(entryTypeId)) throw notFound(`Entry type ${entryTypeId}`);
    const name = type?.pluralName ?? `Entry type ${entryTypeId}`;
    return { part: { typeId: entryTypeId }, name, known: type !== undefined };
  }
  if (fieldId === undefined) throw new Error('A change names a type or a field');
  const field = fieldsById.get(fieldId);
  if (!field && !site.forbiddenFieldIds.includes(fieldId)) throw notFound(`Field ${fieldId}`);
  const typeName = field && typesById.get(field.typeId)?.pluralName;
  const name = field ? `${typeName}, ${field.name}` : `Field ${fieldId}`;
  return { part: { fieldId }, name, known: field !== undefined };
}

/** What a site forbids, with the fields that are calculated from it. */
export async function loadForbidden(db: Db, siteId: number, site: AgentSite): Promise<AgentForbidden> {
  const { forbiddenTypeIds: entryTypeIds, forbiddenFieldIds: fieldIds } = site;
  if (fieldIds.length === 0) return { entryTypeIds, fieldIds, calculatedFieldIds: [] };
  const rules = createReadRules(null, site);
  const { types } = await loadSchema(db, siteId);
  const hidden = types.flatMap((type) => [...listHiddenFields(rules, type)]);
  const calculatedFieldIds = hidden.filter((id) => !rules.forbiddenFieldIds.has(id));
  return { entryTypeIds, fieldIds, calculatedFieldIds };
}
