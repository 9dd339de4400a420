import type { ReactNode } from 'react';
import { SkeletonRows } from '../../ui/feedback/Skeleton.tsx';
import { Card } from '../../ui/layout/Card.tsx';
import { ProductMark } from '../../ui/layout/ProductMark.tsx';
import { readStoredBrand } from '../session/brand.ts';
import { isNavigationFolded } from '../state/navigation.ts';
import './shell.css';
import './side-nav.css';
import './top-bar.css';

/** Skeleton of a page that takes longer than 150 ms to load. */
export function PendingPage() {
  return (
    <div className="page">
      <Card>
        <SkeletonRows />
      </Card>
    </div>
  );
}

/** Skeleton of the frame while the session is being read; `navigation` replaces the empty side. */
export function PendingShell({ navigation }: { navigation?: ReactNode }) {
  return (
    <div className="shell">
      <header className="top">
        <ProductMark brand={readStoredBrand()} />
      </header>
      <div className="shell-side">
        {navigation ?? <div className="side" data-folded={isNavigationFolded.get() || undefined} />}
      </div>
      <main className="shell-main">
        <PendingPage />
      </main>
    </div>
  );
}
