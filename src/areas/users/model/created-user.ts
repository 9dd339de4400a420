import { createStore } from '../../../ui/store.ts';

/** User just created, shown on their page until the message is closed. */
export interface CreatedUser {
  userId: number;
  name: string;
  email: string;
  /** How they sign in for the first time. */
  firstSignIn: 'mailed' | 'password' | 'identity-manager';
  isActive: boolean;
}

export const createdUser = createStore<CreatedUser | undefined>(undefined);
