import { useRouter } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { IconButton } from '../ui/button/IconButton.tsx';
import { ProductMark } from './ProductMark.tsx';
import { SideNav } from './SideNav.tsx';

/** The navigation of a small window; it leaves when somebody has gone somewhere. */
export function Drawer({ onClose }: { onClose: () => void }) {
  const router = useRouter();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    return router.subscribe('onBeforeNavigate', () => dialog.current?.close());
  }, [router]);

  return (
    <dialog
      ref={dialog}
      className="drawer"
      aria-label="Navigation"
      onClose={onClose}
      // A press beside it closes it too.
      closedby="any"
    >
      <div className="drawer-inner">
        <div className="drawer-head">
          <ProductMark />
          <IconButton label="Close" icon={X} onClick={() => dialog.current?.close()} />
        </div>
        <SideNav drawer />
      </div>
    </dialog>
  );
}
