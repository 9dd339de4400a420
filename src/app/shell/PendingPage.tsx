import { SkeletonRows } from '../../ui/feedback/Skeleton.tsx';
import { Card } from '../../ui/layout/Card.tsx';
import { navFolded } from './nav-folded.ts';
import { ProductMark } from '../../ui/layout/ProductMark.tsx';
import './shell.css';
import './side-nav.css';
import './top-bar.css';

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

/** The same while the session is being read: the frame stands already. */
export function PendingShell() {
  return (
    <div className="shell">
      <header className="top">
        <ProductMark />
      </header>
      <div className="shell-side">
        <div className="side" data-folded={navFolded.get() || undefined} />
      </div>
      <main className="shell-main">
        <PendingPage />
      </main>
    </div>
  );
}
