import { Badge } from '../../../ui/layout/Badge.tsx';

/** Whether somebody may sign in, as far as one word says it. */
export function StatusBadge({
  user: { isActive, isLocked },
}: {
  user: { isActive: boolean; isLocked: boolean };
}) {
  if (!isActive) return <Badge>Inactive</Badge>;
  return isLocked ? <Badge tone="warn">Locked</Badge> : <Badge tone="ok">Active</Badge>;
}
