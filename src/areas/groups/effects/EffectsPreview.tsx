import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Capability } from '../../../../contract/generated/types.gen.ts';
import { usePeopleById, findAllIds, readDirectoryRows, useDirectory } from '../../../directory/directory.ts';
import { getGroupCapabilities, groupQuery } from '../../../directory/groups.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { createMembersQuery } from '../model/members-view.ts';
import type { Effect } from './effects.ts';
import { computeEffects } from './effects.ts';
import './group-panel.css';

const MAX_NAMED_PEOPLE = 5;
const listFormat = new Intl.ListFormat('en');

/** Shows who gains and loses capabilities before saving. */
export function EffectsPreview({ effects, failed }: EffectsPreviewState) {
  const shown = useMemo(
    () => effects?.flatMap((effect) => effect.people.slice(0, MAX_NAMED_PEOPLE)) ?? [],
    [effects],
  );
  const named = usePeopleById(shown);
  if (failed) {
    return (
      <Banner tone="warn" title="The effect on members is not known">
        The other groups of the members could not be loaded. You can save anyway.
      </Banner>
    );
  }
  if (!effects) return <output className="effects-names">Calculating the effect on members…</output>;
  if (effects.length === 0) return null;
  const loses = effects.some(({ change, people: ids }) => change === 'lose' && ids.length > 0);
  return (
    <Banner tone={loses ? 'warn' : 'info'} title="Effect on members">
      <ul className="effects">
        {effects.map((effect) => (
          <EffectLine
            key={effect.change + effect.capabilities.join()}
            effect={effect}
            getName={(id) => named.get(id)?.name}
          />
        ))}
      </ul>
    </Banner>
  );
}

interface EffectLineProps {
  effect: Effect;
  getName: (id: number) => string | undefined;
}

function EffectLine({ effect, getName: nameOf }: EffectLineProps) {
  const { capabilities, change, people: ids, unaffected } = effect;
  const names = ids.slice(0, MAX_NAMED_PEOPLE).map((id) => nameOf(id) ?? `User ${id}`);
  const rest = ids.length - names.length;
  return (
    <li>
      <span className="effects-sign" aria-hidden>
        {change === 'gain' ? '+' : '−'}
      </span>
      <span>
        {EFFECT_TEXTS[change](ids.length)} <strong>{listFormat.format(capabilities)}</strong>.
        {unaffected > 0 && ` ${UNAFFECTED_TEXTS[change](unaffected)}`}
      </span>
      {names.length > 0 && (
        <span className="effects-names">
          {listFormat.format([...names, ...(rest > 0 ? [pluralize(rest, 'other', 'others')] : [])])}
        </span>
      )}
    </li>
  );
}

/** Sentences that the capabilities end. */
const EFFECT_TEXTS: Record<Effect['change'], (people: number) => string> = {
  gain: (people) => (people === 0 ? 'No one gains' : pluralize(people, 'person gains', 'people gain')),
  lose: (people) => (people === 0 ? 'No one loses' : pluralize(people, 'person loses', 'people lose')),
};

const UNAFFECTED_TEXTS: Record<Effect['change'], (people: number) => string> = {
  gain: (people) =>
    pluralize(
      people,
      'person already has it through another group.',
      'people already have it through another group.',
    ),
  lose: (people) =>
    pluralize(people, 'person keeps it through another group.', 'people keep it through another group.'),
};

interface EffectsInput {
  groupId: number;
  before: readonly Capability[];
  after: readonly Capability[];
}

/** Effects of a change; undefined while they are computed. */
export interface EffectsPreviewState {
  effects: readonly Effect[] | undefined;
  /** The other groups of the members could not be loaded, or the directory is incomplete. */
  failed: boolean;
}

/** Computes the effects of changed capabilities. Other groups of the members are loaded only if something changes. */
export function useEffects({ groupId, before, after }: EffectsInput): EffectsPreviewState {
  const client = useQueryClient();
  const { version, complete } = useDirectory();
  const changes = before.join() !== after.join();
  const { data, isError } = useQuery({
    queryKey: ['members-with-groups', groupId, version],
    async queryFn() {
      const members = await readDirectoryRows(await findAllIds(createMembersQuery(groupId)));
      const groupIds = new Set(members.flatMap(({ groups }) => groups));
      groupIds.delete(groupId);
      const given = await Promise.all(
        [...groupIds].map(async (id) => {
          const { data: group } = await client.fetchQuery(groupQuery(id));
          return [id, getGroupCapabilities(group)] as const;
        }),
      );
      return { members, given: new Map(given) };
    },
    enabled: changes && complete,
    // Capabilities of other groups may change at any time, so each panel loads them again.
    gcTime: 0,
  });
  const effects = useMemo(
    () => (changes ? data && computeEffects({ groupId, before, after }, data.members, data.given) : []),
    [changes, data, groupId, before, after],
  );
  return { effects, failed: changes && isError };
}
