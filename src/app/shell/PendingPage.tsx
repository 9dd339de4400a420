import { useQuery } from '@tanstack/react-query';
import { useMatch } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { sessionQuery } from '../../api/session-query.ts';
import { SkeletonRows } from '../../ui/feedback/Skeleton.tsx';
import { Card } from '../../ui/layout/Card.tsx';
import { ProductMark } from '../../ui/layout/ProductMark.tsx';
import { readStoredBrand } from '../session/brand.ts';
import { isNavigationFolded } from '../state/navigation.ts';
import './shell.css';
import './side-nav.css';
import './top-bar.css';

/** Skeleton of a page that takes longer than 150 ms to load. A panel has none: its page stays as it is, below the progress bar. */
export function PendingPage() {
  const match = useMatch({ strict: false, shouldThrow: false });
  if (match?.staticData.part === 'panel') return null;
  return (
    <div className="page">
      <Card>
        <SkeletonRows />
      </Card>
    </div>
  );
}

/** The navigation comes with the frame, which the first load does not wait for. */
const SideNav = lazy(async () => ({ default: (await import('./Shell.tsx')).SideNav }));

/**
 * Skeleton of the frame, which the router shows until the session and the page of the first load are read. It has the navigation as soon
 * as the session is read, so that a page that hangs can be left.
 */
export function PendingFrame() {
  const { data: session } = useQuery({ ...sessionQuery, enabled: false });
  const emptySide = <div className="side" data-folded={isNavigationFolded.get() || undefined} />;
  return (
    <div className="shell">
      <header className="top">
        <ProductMark brand={readStoredBrand()} />
      </header>
      <div className="shell-side">
        {session ? (
          <Suspense fallback={emptySide}>
            <SideNav />
          </Suspense>
        ) : (
          emptySide
        )}
      </div>
      <main className="shell-main">
        <PendingPage />
      </main>
    </div>
  );
}
