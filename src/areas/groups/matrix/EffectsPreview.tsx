import { useMemo } from 'react';
import { usePeople } from '../../../directory/directory.ts';
import { counted } from '../../../lib/numbers.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import type { Effect } from './effects.ts';
import type { Preview } from './use-effects.ts';
import '../pages/group-panel.css';

const NAMED = 5;
const list = new Intl.ListFormat('en');
const people = (number: number) => counted(number, 'person', 'people');

/** Who gains and who loses which capability, before anything is saved. */
export function EffectsPreview({ effects, failed }: Preview) {
  const shown = useMemo(() => effects?.flatMap((effect) => effect.people.slice(0, NAMED)) ?? [], [effects]);
  const named = usePeople(shown);
  if (failed) {
    return (
      <Banner tone="warn" title="Who gains and loses by this is not known">
        The other groups of the members could not be read. It can be saved all the same.
      </Banner>
    );
  }
  if (!effects) return <output className="effects-names">Working out who gains and loses by this…</output>;
  if (effects.length === 0) return null;
  const loses = effects.some(({ change, people: ids }) => change === 'lose' && ids.length > 0);
  return (
    <Banner tone={loses ? 'warn' : 'info'} title="What this changes for the members">
      <ul className="effects">
        {effects.map((effect) => (
          <EffectLine
            key={effect.change + effect.capabilities.join()}
            effect={effect}
            nameOf={(id) => named.get(id)?.name}
          />
        ))}
      </ul>
    </Banner>
  );
}

interface EffectLineProps {
  effect: Effect;
  nameOf: (id: number) => string | undefined;
}

function EffectLine({ effect, nameOf }: EffectLineProps) {
  const { capabilities, change, people: ids, unaffected } = effect;
  const names = ids.slice(0, NAMED).map((id) => nameOf(id) ?? `User ${id}`);
  const rest = ids.length - names.length;
  const verb = ids.length > 1 ? change : `${change}s`;
  return (
    <li>
      <span className="effects-sign" aria-hidden>
        {change === 'gain' ? '+' : '−'}
      </span>
      <span>
        {ids.length === 0 ? 'Nobody' : people(ids.length)} {verb} <strong>{list.format(capabilities)}</strong>
        {unaffected > 0 && `; ${people(unaffected)} ${spared(change, unaffected === 1)}`}.
      </span>
      {names.length > 0 && (
        <span className="effects-names">
          {list.format([...names, ...(rest > 0 ? [counted(rest, 'other', 'others')] : [])])}
        </span>
      )}
    </li>
  );
}

const spared = (change: Effect['change'], one: boolean): string =>
  change === 'gain'
    ? `${one ? 'has' : 'have'} that from another group already`
    : `${one ? 'keeps' : 'keep'} that through another group`;
