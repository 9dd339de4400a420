import { CircleSlash, RefreshCcw, ShieldOff, UserCheck } from 'lucide-react';
import { formatNumber } from '../../../lib/numbers.ts';
import { WARNING_LABELS } from '../model/assignments.ts';
import type { AssignmentRow } from '../model/rows.ts';
import type { Warning } from '../model/view.ts';
import './proxies.css';

const ICONS = { cycle: RefreshCcw, inactive: CircleSlash, noTwoFactor: ShieldOff, selfAssigned: UserCheck };
const OTHER_LABELS: Record<Warning, string> = {
  cycle: 'in a cycle',
  inactive: 'inactive',
  noTwoFactor: 'without two-factor',
  selfAssigned: 'self-assigned',
};

/** Badges of warnings, each with an icon and a label. */
export function Warnings({
  warnings,
  otherWarnings,
}: Pick<AssignmentRow, 'warnings'> & Partial<AssignmentRow>) {
  if (warnings.length + (otherWarnings?.size ?? 0) === 0) return null;
  return (
    <span
      className="px-marks"
      title={[
        ...warnings.map((warning) => WARNING_LABELS[warning]),
        ...[...(otherWarnings ?? [])].map(
          ([warning, number]) => `${formatNumber(number)} ${OTHER_LABELS[warning]}`,
        ),
      ].join(', ')}
    >
      {warnings.map((warning) => (
        <WarningBadge key={warning} warning={warning}>
          {WARNING_LABELS[warning]}
        </WarningBadge>
      ))}
      {[...(otherWarnings ?? [])].map(([warning, number]) => (
        <WarningBadge key={`around ${warning}`} warning={warning} quiet>
          {`${formatNumber(number)} ${OTHER_LABELS[warning]}`}
        </WarningBadge>
      ))}
    </span>
  );
}

function WarningBadge({
  warning,
  quiet = false,
  children,
}: {
  warning: Warning;
  quiet?: boolean;
  children: string;
}) {
  const Icon = ICONS[warning];
  const tone = quiet || warning === 'inactive' ? 'neutral' : 'warn';
  return (
    <span className={`badge tone-${tone} px-mark`}>
      <Icon />
      {children}
    </span>
  );
}
