import type { AgentCallOutcome, Capability } from '../../../../contract/generated/types.gen.ts';
import { ApiError } from '../../../kernel/api-error.ts';
import type { Caller } from '../../../kernel/auth/caller.ts';
import { dbErrorCodes, getDbError, isWorthRetrying } from '../../../kernel/db/driver/errors.ts';
import type { ReadContext } from './read-operations.ts';
import { fenceData, type Item, serializeData } from './results.ts';
import { AGENT_CAPABILITIES, type Tool, tools, type ToolResult } from './tools.ts';

/** The result of a call as the agent gets it. */
export interface ToolOutcome {
  outcome: Extract<AgentCallOutcome, 'Ok' | 'Invalid' | 'Refused' | 'Failed' | 'Cancelled'>;
  /** The text of the result or of the error. */
  text: string;
  bytes: number;
  /** The data of the result as JSON; undefined for an error. */
  json: string | undefined;
  /** Undefined for an error. */
  result: ToolResult | undefined;
  durationMs: number;
  /** The cause of `Failed`, for the log. */
  error?: unknown;
}

/** The caller of an agent: its person, with no rights but to read. */
export const createAgentCaller = (person: {
  siteId: number;
  userId: number;
  email: string;
  capabilities: readonly Capability[];
  tokenHash: Buffer;
}): Caller => ({
  siteId: person.siteId,
  userId: person.userId,
  email: person.email,
  acting: undefined,
  capabilities: new Set(AGENT_CAPABILITIES.filter((capability) => person.capabilities.includes(capability))),
  scopes: undefined,
  clientId: undefined,
  hasProofOfPresence: false,
  isFederated: false,
  pending: undefined,
  tokenHash: person.tokenHash,
  expiresAt: new Date(0),
});

/** The tools that a person can use: all of them read data. */
export const listUsableTools = ({ capabilities }: Pick<Caller, 'capabilities'>): readonly Tool[] =>
  AGENT_CAPABILITIES.every((capability) => capabilities.has(capability)) ? tools : [];

/** Runs a tool; errors become outcomes, because an agent reads them and calls again. */
export async function callTool(context: ReadContext, tool: Tool, args: unknown): Promise<ToolOutcome> {
  const start = performance.now();
  try {
    const result = await tool.run(context, tool.requireValid(args));
    const json = serializeData(result.data);
    const text = fenceData(json);
    return {
      outcome: 'Ok',
      text,
      json,
      bytes: Buffer.byteLength(text),
      result,
      durationMs: performance.now() - start,
    };
  } catch (error) {
    const { outcome, text } = describeError(error, context.signal);
    const bytes = Buffer.byteLength(text);
    return {
      outcome,
      text,
      bytes,
      json: undefined,
      result: undefined,
      durationMs: performance.now() - start,
      error,
    };
  }
}

function describeError(error: unknown, signal: AbortSignal): Pick<ToolOutcome, 'outcome' | 'text'> {
  // The key was revoked meanwhile, or the license or the switch is off.
  if (signal.reason instanceof ApiError) return { outcome: 'Refused', text: signal.reason.message };
  if (signal.aborted || getDbError(error)?.code === dbErrorCodes.aborted)
    return { outcome: 'Cancelled', text: 'The call was cancelled' };
  if (error instanceof ApiError && error.status < 500) {
    const details = error.fields.map(({ path, message }) => `${path}: ${message}`);
    const text = [error.message, ...(details.length > 1 ? details : [])].join('\n');
    return { outcome: error.status === 403 || error.status === 401 ? 'Refused' : 'Invalid', text };
  }
  const text = isWorthRetrying(error)
    ? 'The database is not available right now: try again in a few seconds'
    : 'An unexpected error occurred. The log of the service contains it.';
  return { outcome: 'Failed', text };
}

/** Structured content of a result; undefined for an error. */
export const getStructuredContent = ({ json }: ToolOutcome): Item | undefined =>
  json === undefined ? undefined : (JSON.parse(json) as Item);
