import { CircleSlash, RefreshCcw, ShieldOff } from 'lucide-react';
import { count } from '../../../lib/numbers.ts';
import { MARK_WORDS } from '../model/delegations.ts';
import type { Mark } from '../model/marks.ts';
import type { DelegationRow } from '../model/rows.ts';
import './marks.css';

const ICONS = { cycle: RefreshCcw, inactive: CircleSlash, noTwoFactor: ShieldOff };
const AROUND: Record<Mark, string> = {
  cycle: 'in a cycle',
  inactive: 'inactive',
  noTwoFactor: 'without two-factor',
};

/** What deserves a second look, each by its own sign and in words. */
export function Marks({ marks, around }: Pick<DelegationRow, 'marks'> & Partial<DelegationRow>) {
  if (marks.length + (around?.size ?? 0) === 0) return null;
  return (
    <span
      className="px-marks"
      title={[
        ...marks.map((mark) => MARK_WORDS[mark]),
        ...[...(around ?? [])].map(([mark, number]) => `${count(number)} ${AROUND[mark]}`),
      ].join(', ')}
    >
      {marks.map((mark) => (
        <MarkBadge key={mark} mark={mark}>
          {MARK_WORDS[mark]}
        </MarkBadge>
      ))}
      {[...(around ?? [])].map(([mark, number]) => (
        <MarkBadge key={`around ${mark}`} mark={mark} quiet>
          {`${count(number)} ${AROUND[mark]}`}
        </MarkBadge>
      ))}
    </span>
  );
}

function MarkBadge({ mark, quiet = false, children }: { mark: Mark; quiet?: boolean; children: string }) {
  const Icon = ICONS[mark];
  const tone = quiet || mark === 'inactive' ? 'neutral' : 'warn';
  return (
    <span className={`badge tone-${tone} px-mark`}>
      <Icon />
      {children}
    </span>
  );
}
