import type { ComponentPropsWithRef } from 'react';
import { keepFocus } from '../keep-focus.ts';
import { Button } from './Button.tsx';

/** Button that loads the next rows of a list. It disappears with the last ones, and the focus in it moves to the list. */
export const ShowMoreButton = (
  props: Pick<ComponentPropsWithRef<typeof Button>, 'pending' | 'onClick' | 'children'>,
) => <Button ref={keepFocus} size="small" {...props} />;
