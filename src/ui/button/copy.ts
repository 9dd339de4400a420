import { toast } from '../feedback/toast.ts';

/** Copies from a menu, which is gone afterwards: a toast says what happened. */
export async function copyText(text: string, said = 'Copied'): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast({ title: said });
  } catch {
    // Browsers allow it only on a secure address.
    toast({ title: 'The browser does not allow copying here', tone: 'bad' });
  }
}
