import type { AgentPreview } from '../../../contract/generated/types.gen.ts';
import { badRequest, forbidden, notFound } from '../../kernel/api-error.ts';
import { requireCapabilities } from '../../kernel/auth/authorize.ts';
import { withAbortSignal, withReadOnly } from '../../kernel/db/database.ts';
import type { Contract } from '../../kernel/http/contract.ts';
import { type Call, type Handlers, ok } from '../../kernel/http/handler.ts';
import { EARLIEST_TIMESTAMP, parseTimestamp } from '../../kernel/http/parameters.ts';
import { findPerson } from './access/agents.store.ts';
import { LASTING_STATES, listKeys } from './access/keys.store.ts';
import { administersAgents, getVisibleOwner } from './access/keys.ts';
import { findAgentSite } from './access/settings.store.ts';
import { type CallFilter, listCalls, listClients, summarizeCalls } from './ledger.store.ts';
import { callTool, createAgentCaller, getStructuredContent, listUsableTools } from './tools/call-tool.ts';
import { createReadRules } from './tools/read-rules.ts';
import { AGENT_CAPABILITIES, toolsByName } from './tools/tools.ts';

type Operations = 'listAgentClients' | 'listAgentCalls' | 'summarizeAgentCalls' | 'previewAgentCall';

const DAY_MS = 86_400_000;
/** Buckets of a summary. */
const MAX_BUCKETS = 1_000;
/** The site of no call: for filters that nobody's calls can pass. */
const NO_SITE = 0;

export const agentCallHandlers: Handlers<Operations> = {
  async listAgentClients({ readDb: db, caller, query }) {
    const { siteId, userId } = createFilter(caller, query);
    return ok(await listClients(db, { siteId, userId, keyId: query.keyId }));
  },

  async listAgentCalls({ readDb: db, caller, query }) {
    const limit = query.pageSize ?? 50;
    const calls = await listCalls(db, createFilter(caller, query), {
      before: query.before,
      limit: limit + 1,
    });
    const page = calls.slice(0, limit);
    return ok({ calls: page, nextBefore: calls.length > limit ? (page.at(-1)?.id ?? null) : null });
  },

  async summarizeAgentCalls({ readDb: db, caller, query }) {
    const bucketMinutes = query.bucketMinutes ?? 15;
    const filter = createFilter(caller, query);
    const to = filter.to ?? new Date();
    const from = filter.from ?? new Date(Math.max(EARLIEST_TIMESTAMP.getTime(), to.getTime() - DAY_MS));
    if (from.getTime() >= to.getTime())
      throw badRequest([{ path: 'dateFrom', message: 'must be before dateTo' }]);
    if ((to.getTime() - from.getTime()) / (bucketMinutes * 60_000) > MAX_BUCKETS)
      throw badRequest([
        { path: 'bucketMinutes', message: `must be longer: the period has more than ${MAX_BUCKETS} buckets` },
      ]);
    const { buckets, ...summary } = await summarizeCalls(db, { ...filter, from, to }, bucketMinutes);
    return ok({
      ...summary,
      dateFrom: from.toISOString(),
      dateTo: to.toISOString(),
      bucketMinutes,
      buckets: buckets.map(({ seconds, ...bucket }) => ({
        date: new Date(seconds * 1_000).toISOString(),
        ...bucket,
      })),
    });
  },

  previewAgentCall: async (call) => ok(await preview(call)),
};

type FilterQuery = Partial<Call<'listAgentCalls'>['query']>;

/** The calls that the caller may see and asks for. */
function createFilter(caller: Call['caller'], { dateFrom, dateTo, ...query }: FilterQuery): CallFilter {
  const owner = getVisibleOwner(caller);
  const isForeign = owner !== undefined && query.userId !== undefined && query.userId !== owner;
  return {
    ...query,
    siteId: isForeign ? NO_SITE : caller.siteId,
    userId: owner ?? query.userId,
    from: dateFrom === undefined ? undefined : parseTimestamp('dateFrom', dateFrom),
    to: dateTo === undefined ? undefined : parseTimestamp('dateTo', dateTo),
  };
}

/** What an agent of a person would get. @throws ApiError 403, 404 */
async function preview(call: Call<'previewAgentCall'>): Promise<AgentPreview> {
  const { caller, body, contract, services, origin, signal } = call;
  const { siteId } = caller;
  if (!administersAgents(caller)) throw forbidden('User capabilities are required: Manage Settings');
  const site = await findAgentSite(call.db, siteId);
  if (!site.isLicensed) throw forbidden('This site has no license for the agent server');
  const person = await findPerson(call.db, siteId, body.userId);
  if (!person) throw notFound(`User ${body.userId}`);
  // An administrator sees nothing through a preview that they could not read themselves (T05).
  requireCapabilities(
    caller,
    AGENT_CAPABILITIES.filter((capability) => person.capabilities.includes(capability)),
  );
  const keyId = body.keyId ?? undefined;
  const [key] =
    keyId === undefined
      ? []
      : await listKeys(call.db, { siteId, keyId, userId: body.userId, states: LASTING_STATES });
  if (keyId !== undefined && !key) throw notFound(`Active agent key ${keyId} of user ${body.userId}`);
  const allowed = body.entryTypeIds ?? key?.entryTypeIds ?? null;
  const agent = createAgentCaller({ siteId, userId: body.userId, ...person, tokenHash: caller.tokenHash });
  const tool = toolsByName.get(body.tool);
  if (!tool) throw notFound(`Tool ${body.tool}`);
  const outcome = await callTool(
    {
      caller: agent,
      rules: createReadRules(allowed, site),
      db: withAbortSignal(withReadOnly(call.db), signal),
      signal,
      origin,
      // The contract of a call is the whole one, of which handlers need less.
      contract: contract as Contract,
      services,
    },
    tool,
    body.arguments ?? {},
  );
  const { result } = outcome;
  const read = result?.listRead();
  return {
    isError: result === undefined,
    text: outcome.text,
    structuredContent: getStructuredContent(outcome) ?? null,
    bytes: outcome.bytes,
    rows: result?.rows ?? 0,
    durationMs: outcome.durationMs,
    entryTypeId: result?.entryTypeId ?? null,
    fieldIds: [...(read?.values.keys() ?? [])],
    flags: read?.flags ?? [],
    tools: listUsableTools(agent).map(({ name }) => name),
  };
}
