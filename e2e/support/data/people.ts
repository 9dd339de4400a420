/** A user with the credentials to sign in. */
export interface Person {
  email: string;
  password: string;
}

/** First administrator of an installation that starts with one. */
export const ada: Person = { email: 'ada.marsh@steward.example', password: 'grey herons over the weir' };
