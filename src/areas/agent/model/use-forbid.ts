import { useSuspenseQuery } from '@tanstack/react-query';
import type { AgentForbidden } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { forbidToAgentsMutation } from '../../../api/generated/queries/agent.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { toast } from '../../../ui/toast.ts';
import { agentSettingsQuery } from './queries.ts';

/** What is forbidden to the agents of a site: an entry type, or a field. */
export type ForbiddenPart = { entryTypeId: number } | { fieldId: number };

export const isForbidden = ({ entryTypeIds, fieldIds }: AgentForbidden, part: ForbiddenPart): boolean =>
  'fieldId' in part ? fieldIds.includes(part.fieldId) : entryTypeIds.includes(part.entryTypeId);

/** Why no agent may read a field; undefined where agents may. */
export function describeBan(
  { entryTypeIds, fieldIds, calculatedFieldIds }: AgentForbidden,
  { entryTypeId, fieldId }: { entryTypeId: number; fieldId: number },
): string | undefined {
  if (entryTypeIds.includes(entryTypeId)) return 'The entry type is forbidden to agents.';
  if (fieldIds.includes(fieldId)) return 'Forbidden to agents.';
  return calculatedFieldIds.includes(fieldId)
    ? 'Forbidden to agents: it is calculated from a forbidden field.'
    : undefined;
}

/** Forbids entry types and fields to all agents of the site, and allows them again. */
export function useForbid() {
  const { data: settings } = useSuspenseQuery(agentSettingsQuery);
  const { reason } = usePermission('forbidToAgents');
  const update = useWrite('forbidToAgents', forbidToAgentsMutation());
  /** @param onDone called when the service has stored the change */
  const change = async (
    part: ForbiddenPart,
    name: string,
    isToBeForbidden: boolean,
    onDone?: () => void,
  ): Promise<void> => {
    try {
      await update.mutateAsync({ body: { ...part, isForbidden: isToBeForbidden } });
    } catch (thrown) {
      toast({ tone: 'bad', title: toServiceError(thrown).message });
      return;
    }
    onDone?.();
    toast({
      title: isToBeForbidden ? `“${name}” is forbidden to agents` : `Agents may read “${name}” again`,
      ...(isToBeForbidden && {
        action: { label: 'Undo', onSelect: () => void change(part, name, false) },
      }),
    });
  };
  const licenseReason = settings.isLicensed ? undefined : 'The site has no license for the agent server';
  return {
    forbidden: settings.forbidden,
    change,
    disabledReason: reason ?? licenseReason ?? (update.isPending ? 'The change is being saved' : undefined),
  };
}
