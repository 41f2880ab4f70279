/** The variable that names the folder of the older version: a checkout with its dependencies installed. */
export const oldCheckoutVariable = 'UPGRADE_OLD_CHECKOUT';
