import { Link } from '@tanstack/react-router';
import type { MemberChange } from '../download/compare.ts';
import { haveOneScope, previousOf } from '../download/list.ts';
import type { Backup } from '../download/list.ts';
import { counted } from '../../../lib/numbers.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { useComparison } from './use-comparison.ts';

/** Says by itself what jumps since the backup before, so that a broken one is noticed the same day. */
export function SincePrevious({ backup, all }: { backup: Backup; all: readonly Backup[] }) {
  const before = previousOf(all, backup);
  // A manifest with thousands of files is read only where somebody wants to compare.
  if (!before || backup.status !== 'Ready' || backup.includesFiles || !haveOneScope(before, backup))
    return null;
  return <Since before={before} after={backup} />;
}

const NAMED = 3;

function Since({ before, after }: { before: Backup; after: Backup }) {
  const { jumps } = useComparison(before, after);
  if (jumps.length === 0) return null;
  const rest = jumps.length - NAMED;
  return (
    <Banner
      tone="warn"
      title={`${counted(jumps.length, 'member jumps', 'members jump')} since ${before.fileName}`}
      actions={
        <Link
          to="/backups/$fileName"
          params={{ fileName: after.fileName }}
          search={{ tab: 'compare' }}
          className={buttonClass({ size: 'small' })}
        >
          Compare
        </Link>
      }
    >
      {jumps.slice(0, NAMED).map(words).join('; ')}
      {rest > 0 && `; and ${counted(rest, 'other', 'others')}`}
    </Banner>
  );
}

const words = ({ title, name, jump = '' }: MemberChange): string => `${title ?? name}: ${jump.toLowerCase()}`;
