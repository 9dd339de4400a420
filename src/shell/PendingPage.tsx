import { SkeletonRows } from '../ui/feedback/Skeleton.tsx';
import { Card } from '../ui/layout/Card.tsx';

/** The waiting look of a page that is on its way for longer than 150 ms. */
export function PendingPage() {
  return (
    <div className="page">
      <Card>
        <SkeletonRows />
      </Card>
    </div>
  );
}
