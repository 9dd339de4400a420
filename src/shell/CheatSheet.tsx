import { Button } from '../ui/button/Button.tsx';
import { Dialog } from '../ui/dialog/Dialog.tsx';
import { useShortcuts } from './shortcuts.ts';
import './cheat-sheet.css';

const WORDS: Record<string, string> = { mod: navigator.platform.startsWith('Mac') ? '⌘' : 'Ctrl' };

/** Every shortcut that works on this page, as the registry has them. */
export default function CheatSheet({ onClose }: { onClose: () => void }) {
  const groups = Map.groupBy(useShortcuts(), ({ group }) => group);
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} footer={<Button onClick={onClose}>Close</Button>}>
      <div className="keys">
        {[...groups].map(([group, shortcuts]) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {shortcuts.map(({ keys, label }) => (
                <div key={keys}>
                  <dt>{label}</dt>
                  <dd>
                    {keys.split(/[ +]/).map((key) => (
                      <kbd key={key} className="kbd">
                        {WORDS[key] ?? key}
                      </kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
