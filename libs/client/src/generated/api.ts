/** Generated from the OpenAPI document by tools/openapi-types.mjs. A test compares it with the service. */
export interface paths {
    readonly "/api/v2/auth/login": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["LoginRequest"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["LoginResultView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/auth/select-tenant": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["TenantChoice"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["LoginResultView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/auth/switch-tenant": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["TenantChoice"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["LoginResultView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/auth/refresh": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["RefreshRequest"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["LoginResultView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/auth/logout": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Ended */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/auth/memberships": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": readonly components["schemas"]["MembershipView"][];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/auth/me": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["IdentityView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/auth/siwe/nonce": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description 32 letters and digits */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "text/plain": string;
                        readonly "application/json": string;
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/auth/siwe": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["SiweRequest"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["LoginResultView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/auth/wallet": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["SignedMessageBody"];
                };
            };
            readonly responses: {
                /** @description It is your wallet in this tenant now, and can sign in */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/auth/password": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["PasswordChange"];
                };
            };
            readonly responses: {
                /** @description Changed */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/auth/password/forgot": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["ForgottenPassword"];
                };
            };
            readonly responses: {
                /** @description If a user has this address, a mail is on its way */
                readonly 202: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/auth/password/reset": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["PasswordReset"];
                };
            };
            readonly responses: {
                /** @description Set */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/auth/language": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["LanguageChoice"];
                };
            };
            readonly responses: {
                /** @description Kept */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/auth/sessions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["SessionsView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Ended */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/auth/sessions/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        readonly delete: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Ended */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/auth/passkeys/registration/options": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["PasskeyRegistrationRequest"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["PasskeyOptionsView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/auth/passkeys/registration/verify": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["PasskeyRegistration"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["PasskeyAddedView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/auth/passkeys": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["PasskeysView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/auth/passkeys/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        readonly delete: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Deleted */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/auth/passkeys/authentication/options": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["PasskeyOptionsView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/auth/passkeys/authentication/verify": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["PasskeyAuthentication"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["LoginResultView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/auth/invitations/passkey/options": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["PasskeyInvitationOptions"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["PasskeyOptionsView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/auth/invitations/passkey/verify": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["PasskeyInvitation"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["LoginResultView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/.well-known/jwks.json": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description A JSON Web Key Set */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly keys: readonly {
                                readonly kty: string;
                                readonly crv: string;
                                readonly x: string;
                                readonly y: string;
                                readonly kid: string;
                                readonly alg: string;
                                readonly use: string;
                            }[];
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/usage": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["UsageView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/api-keys": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Page, from 1 */
                    readonly page?: number;
                    /** @description Items per page */
                    readonly limit?: number;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["ApiKeyPageView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["ApiKeyBody"];
                };
            };
            readonly responses: {
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["ApiKeySecretView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/api-keys/{id}/rotate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["RotateBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["ApiKeySecretView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/api-keys/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        readonly delete: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Revoked */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/members": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Page, from 1 */
                    readonly page?: number;
                    /** @description Items per page */
                    readonly limit?: number;
                    /** @description Part of the e-mail address or the name, in any case */
                    readonly search?: string;
                    /** @description Which members */
                    readonly status?: "active" | "removed" | "all";
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["MemberPageView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["MemberBody"];
                };
            };
            readonly responses: {
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["MemberView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/members/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["MemberView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description `ETag` of the state that you change; any state when absent */
                    readonly "If-Match"?: string;
                };
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Ended */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        readonly patch: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description `ETag` of the state that you change; any state when absent */
                    readonly "If-Match"?: string;
                };
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["MemberChange"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["MemberView"];
                    };
                };
            };
        };
        readonly trace?: never;
    };
    readonly "/api/v2/members/grants/prepare": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["GrantsBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["GrantsView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/members/{id}/grants/prepare": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["SenderBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["GrantsView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/members/{id}/wallet/replace/prepare": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["ReplacementBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["ReplacementView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/organisations/{id}/account": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["PasskeyAccountView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["OrganisationAccountBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["PasskeyAccountView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/organisations/{id}/account/owners/prepare": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["OwnerChangeBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["AccountCallsView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/organisations/{id}/account/approvals/prepare": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["ApprovalsView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/organisations/{id}/account/removal/prepare": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["MemberRemovalBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["ApprovalsView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/organisations": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Page, from 1 */
                    readonly page?: number;
                    /** @description Items per page */
                    readonly limit?: number;
                    /** @description Part of the name, in any case */
                    readonly search?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["OrganisationPageView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["OrganisationBody"];
                };
            };
            readonly responses: {
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["OrganisationView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/organisations/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["OrganisationView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description `ETag` of the state that you change; any state when absent */
                    readonly "If-Match"?: string;
                };
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["OrganisationChange"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["OrganisationView"];
                    };
                };
            };
        };
        readonly trace?: never;
    };
    readonly "/api/v1/organisations/{id}/sites": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["SiteBody"];
                };
            };
            readonly responses: {
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["OrganisationView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/organisations/{id}/sites/{siteId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        readonly delete: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                    readonly siteId: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Removed */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/organisations/{id}/wallets": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["OrgWalletBody"];
                };
            };
            readonly responses: {
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["OrganisationView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/organisations/{id}/wallets/{address}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        readonly delete: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                    readonly address: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Unbound */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/auth/account": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["PasskeyAccountView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/auth/account/keys/prepare": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["AccountKeyBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["AccountCallsView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/auth/account/keys/removal/prepare": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["KeyIdBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["AccountCallsView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/members/{id}/recovery": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Started */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/members/{id}/recovery/prepare": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["SenderBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["ReplacementView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/tenants": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Page, from 1 */
                    readonly page?: number;
                    /** @description Items per page */
                    readonly limit?: number;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["TenantPageView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["TenantBody"];
                };
            };
            readonly responses: {
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["OpenedTenantView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/tenants/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["TenantView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/tenants/{id}/contract/prepare": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["ContractBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["ContractPreparedView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/tenants/{id}/suspend": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["SuspendBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["TenantView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/tenants/{id}/tier": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["TierBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["TenantView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/tenants/{id}/resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["TenantView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/audit": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Page, from 1 */
                    readonly page?: number;
                    /** @description Items per page */
                    readonly limit?: number;
                    /** @description What happened */
                    readonly action?: "login.succeeded" | "login.failed" | "tenant.selected" | "logout" | "session.revoked" | "password.changed" | "password.link_requested" | "invitation.accepted" | "passkey.added" | "passkey.removed" | "passkey.clone_suspected" | "member.added" | "member.changed" | "member.removed" | "member.wallet_confirmed" | "member.grants_prepared" | "member.wallet_replacement_prepared" | "member.recovery_started" | "account.key_prepared" | "organisation.owner_prepared" | "organisation.created" | "organisation.changed" | "api_key.created" | "api_key.rotated" | "api_key.revoked" | "webhook.created" | "webhook.changed" | "webhook.secret_rotated" | "webhook.resumed" | "webhook.deleted" | "process_map.published" | "tenant.created" | "tenant.suspended" | "tenant.tier_changed" | "link.created" | "link.changed" | "link.deleted" | "passport.evidence_shared" | "passports.registry_changed" | "passports.registry_removed" | "passports.registrations_settled" | "passport.grant_created" | "passport.grant_used" | "passport.grant_withdrawn" | "passport.reinstated" | "passport.withdrawn" | "passports.changed" | "rules.changed" | "values.erased" | "privacy.searched" | "privacy.exported" | "document.deleted" | "epcis_event.deleted" | "tenant.resumed" | "sponsorship.changed";
                    /** @description Who did it */
                    readonly actorId?: string;
                    /** @description Id of the changed object */
                    readonly subject?: string;
                    /** @description From this ISO 8601 time */
                    readonly from?: string;
                    /** @description Before this ISO 8601 time */
                    readonly to?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["AuditPageView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/auth/invitations/accept": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["InvitationBody"];
                };
            };
            readonly responses: {
                /** @description Set */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/health/live": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description The process is running */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            /** @enum {string} */
                            readonly status: "alive";
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/health/ready": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description `status` is ready, or degraded when an engine is down that only some requests need; `impact` says what does not work */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            /** @enum {string} */
                            readonly status: "ready" | "degraded";
                            /** @description The engines that are down */
                            readonly down: readonly string[];
                            /** @description By the name of the engine */
                            readonly checks: {
                                readonly [key: string]: {
                                    /** @enum {string} */
                                    readonly state: "up" | "down";
                                    /** @description Whether the service cannot answer any request without it */
                                    readonly required: boolean;
                                    /** @description Duration of the check in milliseconds */
                                    readonly ms: number;
                                    /** @description Why it is down: a code */
                                    readonly reason?: string;
                                    /** @description What does not work while it is down */
                                    readonly impact?: string;
                                } & {
                                    readonly [key: string]: unknown;
                                };
                            };
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/documents": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Page, from 1 */
                    readonly page?: number;
                    /** @description Items per page */
                    readonly limit?: number;
                    /** @description SHA-256 of the file, as an event refers to it */
                    readonly sha256?: string;
                    /** @description Type */
                    readonly type?: string;
                    /** @description Number */
                    readonly number?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["StoredDocumentPageView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "multipart/form-data": components["schemas"]["DocumentBody"];
                };
            };
            readonly responses: {
                /** @description It was stored before */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["StoredDocumentView"];
                    };
                };
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["StoredDocumentView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/documents/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["StoredDocumentView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description It is gone */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/documents/{id}/content": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Its bytes */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/pdf": string;
                        readonly "application/xml": string;
                        readonly "application/json": string;
                        readonly "text/csv": string;
                        readonly "text/plain": string;
                        readonly "image/png": string;
                        readonly "image/jpeg": string;
                        readonly "image/tiff": string;
                        readonly "image/webp": string;
                        readonly "application/vnd.oasis.opendocument.text": string;
                        readonly "application/vnd.oasis.opendocument.spreadsheet": string;
                        readonly "application/vnd.oasis.opendocument.presentation": string;
                        readonly "application/vnd.openxmlformats-officedocument.wordprocessingml.document": string;
                        readonly "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                        readonly "application/vnd.openxmlformats-officedocument.presentationml.presentation": string;
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/custody/prepare": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["CustodyPrepareBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["PreparedCustodyView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/custody/org/{orgId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Page, from 1 */
                    readonly page?: number;
                    /** @description Items per page */
                    readonly limit?: number;
                    /** @description `nextCursor` of the previous page; replaces `page` */
                    readonly cursor?: string;
                    /** @description CSV is RFC 4180, UTF-8 with a byte order mark; NDJSON has an item of the list in each line */
                    readonly format?: "json" | "csv" | "xlsx" | "ndjson";
                    /** @description Every item in one table, written as fast as it is read; not as `json` */
                    readonly all?: boolean;
                    /** @description `in`: to the organisation, `out`: from it; both when absent */
                    readonly direction?: "in" | "out";
                    /** @description `completed` (default): accepted or direct, the transfers that changed custody */
                    readonly status?: "pending" | "accepted" | "rejected" | "cancelled" | "direct" | "completed" | "all";
                };
                readonly header?: never;
                readonly path: {
                    readonly orgId: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["TransferPageView"];
                        readonly "text/csv": string;
                        readonly "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                        readonly "application/x-ndjson": string;
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/custody/org/{orgId}/offers": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Page, from 1 */
                    readonly page?: number;
                    /** @description Items per page */
                    readonly limit?: number;
                    /** @description `nextCursor` of the previous page; replaces `page` */
                    readonly cursor?: string;
                    /** @description CSV is RFC 4180, UTF-8 with a byte order mark; NDJSON has an item of the list in each line */
                    readonly format?: "json" | "csv" | "xlsx" | "ndjson";
                    /** @description Every item in one table, written as fast as it is read; not as `json` */
                    readonly all?: boolean;
                    /** @description `in`: to the organisation, `out`: from it; both when absent */
                    readonly direction?: "in" | "out";
                };
                readonly header?: never;
                readonly path: {
                    readonly orgId: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["TransferPageView"];
                        readonly "text/csv": string;
                        readonly "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                        readonly "application/x-ndjson": string;
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/nfts/{tokenId}/custody": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Page, from 1 */
                    readonly page?: number;
                    /** @description Items per page */
                    readonly limit?: number;
                };
                readonly header?: never;
                readonly path: {
                    readonly tokenId: number;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["CustodyHistoryView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/nfts/{tokenId}/retire/prepare": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly tokenId: number;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["RetirementBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["PreparedRetirementView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/nfts/{tokenId}/recall-impact": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Levels from the lot */
                    readonly maxDepth?: number;
                    /** @description Lots reached */
                    readonly maxNodes?: number;
                    /** @description State as of a block number, or of the last block at or before a time (ISO 8601 with an offset): landing time, not event time */
                    readonly asOf?: string;
                    /** @description `nextCursor` of a truncated answer: the next lots, and the sums over them */
                    readonly cursor?: string;
                };
                readonly header?: never;
                readonly path: {
                    readonly tokenId: number;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["RecallImpactView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/nfts/{tokenId}/recall/prepare": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly tokenId: number;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["RecallPrepareBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["PreparedRecallView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/nfts/{tokenId}/recall/lift/prepare": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly tokenId: number;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["LiftPrepareBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["PreparedLiftView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/recalls": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Page, from 1 */
                    readonly page?: number;
                    /** @description Items per page */
                    readonly limit?: number;
                    /** @description Only those with lots that are still recalled, or only those without */
                    readonly open?: boolean;
                    /** @description Only those by which this lot is recalled or affected now */
                    readonly tokenId?: components["schemas"]["Object"] | number | string;
                    /** @description EIP-55 address: only those that recall or affect lots which it holds now */
                    readonly holder?: string;
                    /** @description `nextCursor` of the previous page; replaces `page` */
                    readonly cursor?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["RecallPageView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/recalls/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["RecallView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/nfts/{tokenId}/hold": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly tokenId: number;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["HoldBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["HeldView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/nfts/{tokenId}/release": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly tokenId: number;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["HeldView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/recalls/{id}/release": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["ReleasedView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/recall/drills": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Page, from 1 */
                    readonly page?: number;
                    /** @description Items per page */
                    readonly limit?: number;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["DrillPageView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["DrillBody"];
                };
            };
            readonly responses: {
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["DrillView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/recall/drills/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Format of the answer */
                    readonly format?: "json" | "csv";
                };
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["DrillView"];
                        readonly "text/csv": components["schemas"]["DrillView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/recalls/{id}/acknowledgements": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Page, from 1 */
                    readonly page?: number;
                    /** @description Items per page */
                    readonly limit?: number;
                };
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["AcknowledgementsView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["AcknowledgeRecallBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["LotsAcknowledgedView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/recalls/{id}/report.pdf": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description PDF */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/pdf": string;
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/epcis/capture": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: {
                    /** @description EIP-55 address that will sign: one of your own; absent: your wallet */
                    readonly from?: string;
                };
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly [key: string]: unknown;
                    };
                    readonly "application/ld+json": {
                        readonly [key: string]: unknown;
                    };
                    readonly "application/xml": {
                        readonly [key: string]: unknown;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["CaptureView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/exports": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": readonly components["schemas"]["ExportFormatView"][];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/nfts/{tokenId}/exports/{format}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly tokenId: number;
                    /** @description `eudr`, `pact`, `untp-dpp`, `untp-dte` */
                    readonly format: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description The document */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly [key: string]: unknown;
                        };
                        readonly "application/geo+json": {
                            readonly [key: string]: unknown;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ns/trc": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description The vocabulary */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "text/html": string;
                        readonly "application/ld+json": {
                            readonly [key: string]: unknown;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ns/btt": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description The scheme of document types */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "text/html": string;
                        readonly "application/ld+json": {
                            readonly [key: string]: unknown;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/id/{tenant}/doc/{type}/{number}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    /** @description Slug of the tenant */
                    readonly tenant: string;
                    /** @description Type of the document, percent-encoded once */
                    readonly type: string;
                    /** @description Its number, percent-encoded once */
                    readonly number: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: never;
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/epcis/{tenant}/capture": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    /** @description Slug of your tenant */
                    readonly tenant: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description A page of jobs; its `Link` leads to the next */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly [key: string]: unknown;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description `rollback` (default): with one event that is not valid none is captured; `proceed`: the others are */
                    readonly "GS1-Capture-Error-Behaviour"?: string;
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    /** @description Slug of your tenant */
                    readonly tenant: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly [key: string]: unknown;
                    };
                    readonly "application/ld+json": {
                        readonly [key: string]: unknown;
                    };
                    readonly "application/xml": {
                        readonly [key: string]: unknown;
                    };
                };
            };
            readonly responses: {
                /** @description Accepted; `Location` is the job */
                readonly 202: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly [key: string]: unknown;
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/epcis/{tenant}/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly perPage?: number;
                    readonly nextPageToken?: string;
                };
                readonly header?: never;
                readonly path: {
                    /** @description Slug of your tenant */
                    readonly tenant: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description An EPCISQueryDocument; its `Link` leads to the next page */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/ld+json": {
                            readonly [key: string]: unknown;
                        };
                        readonly "application/xml": string;
                    };
                };
            };
        };
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    /** @description Slug of your tenant */
                    readonly tenant: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly [key: string]: unknown;
                    };
                    readonly "application/ld+json": {
                        readonly [key: string]: unknown;
                    };
                    readonly "application/xml": {
                        readonly [key: string]: unknown;
                    };
                };
            };
            readonly responses: {
                /** @description Captured; `Location` is the event */
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly [key: string]: unknown;
                        };
                    };
                };
                /** @description It waits for a signature; `Location` is the job */
                readonly 202: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly [key: string]: unknown;
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/epcis/{tenant}/capture/{captureId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    /** @description Slug of your tenant */
                    readonly tenant: string;
                    readonly captureId: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description The job */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly [key: string]: unknown;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/epcis/{tenant}/queries/{queryName}/subscriptions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    /** @description Slug of your tenant */
                    readonly tenant: string;
                    readonly queryName: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description All of them, at most 100 */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly [key: string]: unknown;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly queryName: string;
                    /** @description Slug of your tenant */
                    readonly tenant: unknown;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly [key: string]: unknown;
                    };
                };
            };
            readonly responses: {
                /** @description Subscribed; `Location` is the subscription */
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly [key: string]: unknown;
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/epcis/{tenant}/queries/{queryName}/subscriptions/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                    readonly queryName: string;
                    /** @description Slug of your tenant */
                    readonly tenant: unknown;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description The subscription */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly [key: string]: unknown;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                    readonly queryName: string;
                    /** @description Slug of your tenant */
                    readonly tenant: unknown;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/epcis/{tenant}/queries": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    /** @description Slug of your tenant */
                    readonly tenant: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description A page of queries; its `Link` leads to the next */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly [key: string]: unknown;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    /** @description Slug of your tenant */
                    readonly tenant: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly [key: string]: unknown;
                    };
                };
            };
            readonly responses: {
                /** @description Defined; `Location` is the query */
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly [key: string]: unknown;
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/epcis/{tenant}/queries/{queryName}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    /** @description Slug of your tenant */
                    readonly tenant: string;
                    readonly queryName: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description The query */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly [key: string]: unknown;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    /** @description Slug of your tenant */
                    readonly tenant: string;
                    readonly queryName: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/epcis/{tenant}/queries/{queryName}/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly queryName: string;
                    /** @description Slug of your tenant */
                    readonly tenant: unknown;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description An EPCISQueryDocument; its `Link` leads to the next page */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/ld+json": {
                            readonly [key: string]: unknown;
                        };
                        readonly "application/xml": string;
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/epcis/{tenant}/events/{eventId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    /** @description Slug of your tenant */
                    readonly tenant: string;
                    readonly eventId: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description The event, with its contexts */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/ld+json": {
                            readonly [key: string]: unknown;
                        };
                        readonly "application/xml": string;
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    /** @description Slug of your tenant */
                    readonly tenant: string;
                    readonly eventId: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/epcis/{tenant}/{collection}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly perPage?: number;
                    readonly nextPageToken?: string;
                };
                readonly header?: never;
                readonly path: {
                    /** @description Slug of your tenant */
                    readonly tenant: string;
                    readonly collection: "eventTypes" | "bizSteps" | "dispositions" | "epcs" | "bizLocations" | "readPoints";
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description A Collection; its `Link` leads to the next page */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/ld+json": {
                            readonly [key: string]: unknown;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly collection: string;
                    /** @description Slug of a tenant */
                    readonly tenant: unknown;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description GS1-EPCIS-…, GS1-CBV-…, limits and Allow */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/epcis/{tenant}/{collection}/{value}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    /** @description Percent-encoded once, as `https%3A%2F%2Fid.gs1.org%2F00%2F095200000000000011` */
                    readonly value: unknown;
                    readonly collection: "eventTypes" | "bizSteps" | "dispositions" | "epcs" | "bizLocations" | "readPoints";
                    /** @description Slug of your tenant */
                    readonly tenant: unknown;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description A Collection with the names of the resources below */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/ld+json": {
                            readonly [key: string]: unknown;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/epcis/{tenant}/{collection}/{value}/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    readonly perPage?: number;
                    readonly nextPageToken?: string;
                };
                readonly header?: never;
                readonly path: {
                    /** @description Percent-encoded once, as `https%3A%2F%2Fid.gs1.org%2F00%2F095200000000000011` */
                    readonly value: unknown;
                    readonly collection: "eventTypes" | "bizSteps" | "dispositions" | "epcs" | "bizLocations" | "readPoints";
                    /** @description Slug of your tenant */
                    readonly tenant: unknown;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description An EPCISQueryDocument; its `Link` leads to the next page */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/ld+json": {
                            readonly [key: string]: unknown;
                        };
                        readonly "application/xml": string;
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/epcis/{tenant}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    /** @description Slug of a tenant */
                    readonly tenant: unknown;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description GS1-EPCIS-…, GS1-CBV-… and limits */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/imports": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Page, from 1 */
                    readonly page?: number;
                    /** @description Items per page */
                    readonly limit?: number;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["ImportPageView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "multipart/form-data": components["schemas"]["ImportBody"];
                };
            };
            readonly responses: {
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["ImportView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/imports/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["ImportView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description It is gone */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/imports/{id}/problems": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Page, from 1 */
                    readonly page?: number;
                    /** @description Items per page */
                    readonly limit?: number;
                };
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["ImportProblemPageView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/imports/{id}/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Page, from 1 */
                    readonly page?: number;
                    /** @description Items per page */
                    readonly limit?: number;
                };
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["ImportedEventPageView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/imports/{id}/file": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                        readonly "text/csv": string;
                        readonly "application/xml": string;
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/imports/{id}/check": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["CheckImportBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["ImportView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/imports/{id}/prepare": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["PrepareImportBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["ImportView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/imports/{id}/cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["ImportView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/imports/{id}/resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["ImportView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/import-mappings": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Page, from 1 */
                    readonly page?: number;
                    /** @description Items per page */
                    readonly limit?: number;
                    /** @description Name */
                    readonly name?: string;
                    /** @description Partner */
                    readonly partner?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["SavedMappingPageView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["KeepMappingBody"];
                };
            };
            readonly responses: {
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["SavedMappingView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/import-mappings/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["SavedMappingView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description It is gone */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/import-templates/{processType}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Format */
                    readonly format?: "xlsx" | "csv";
                };
                readonly header?: never;
                readonly path: {
                    readonly processType: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                        readonly "text/csv": string;
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/p/{passportId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Language of the page: `en`, `de`, `fr`, `es` or `vi`; by default that of `Accept-Language` */
                    readonly lang?: unknown;
                    /** @description `linkset`, or one of gs1:defaultLink, gs1:dpp, gs1:pip, gs1:traceability, gs1:recallStatus, gs1:sustainabilityInfo, gs1:certificationInfo */
                    readonly linkType?: unknown;
                };
                readonly header?: {
                    /** @description `ETag` of the answer that you have; 304 while it is the same */
                    readonly "If-None-Match"?: string;
                };
                readonly path: {
                    readonly passportId: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description The passport */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "text/html": string;
                        readonly "application/json": {
                            readonly passportId: string | null;
                            /** @enum {string} */
                            readonly passportStatus: "draft" | "active" | "recalled" | "expired" | "retired";
                            readonly version: number;
                            readonly issuedAt: string | null;
                            readonly lastUpdated: string | null;
                            readonly recalls: readonly {
                                readonly recallClass: string | null;
                                readonly reason: string | null;
                                readonly instructions: string | null;
                                readonly date: string;
                            }[];
                            readonly product: {
                                /** @enum {string} */
                                readonly granularity: "model" | "batch" | "item";
                                readonly name: string;
                                readonly description: string | null;
                                readonly picture: string | null;
                                readonly category: string | null;
                                readonly hsCode: string | null;
                                readonly key: string;
                                readonly gtin: string | null;
                                readonly lot: string | null;
                                readonly serial: string | null;
                                readonly producedOn: string | null;
                                readonly bestBefore: string | null;
                                readonly expired: boolean;
                                readonly retired: {
                                    readonly reason: string;
                                    readonly month: string;
                                } | null;
                                readonly attributes: {
                                    readonly [key: string]: unknown;
                                };
                            };
                            readonly operator: {
                                readonly name: string;
                                readonly lei: string | null;
                                readonly gln: string | null;
                                readonly logo: string | null;
                                readonly contact: {
                                    readonly [key: string]: string;
                                };
                            } | null;
                            readonly origin: {
                                readonly steps: readonly {
                                    readonly process: string;
                                    readonly country: string | null;
                                    readonly region: string | null;
                                    readonly month: string | null;
                                    readonly verifiedRatio: number | null;
                                    readonly attributes: {
                                        readonly [key: string]: readonly unknown[];
                                    };
                                }[];
                                readonly complete: boolean;
                            };
                            readonly footprint: {
                                readonly [key: string]: unknown;
                            } | null;
                            readonly certificates: readonly {
                                readonly [key: string]: unknown;
                            }[];
                            readonly traceability: {
                                readonly verifiedRatio: number | null;
                                readonly chainOfCustody: string | null;
                                readonly claimShare: number | null;
                            };
                            readonly previousPassports: readonly {
                                readonly id: string;
                                readonly passportId: string | null;
                                readonly name: string | null;
                                readonly key: string | null;
                            }[];
                            readonly nextPassports: readonly {
                                readonly id: string;
                                readonly passportId: string | null;
                                readonly name: string | null;
                                readonly key: string | null;
                            }[];
                            readonly integrity: {
                                readonly [key: string]: unknown;
                            } | null;
                            readonly links: {
                                readonly self: string;
                                readonly digitalLink: string | null;
                                readonly label: string | null;
                                readonly bundle: string | null;
                            };
                        };
                        readonly "application/linkset+json": {
                            readonly linkset: readonly {
                                readonly [key: string]: unknown;
                            }[];
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/id/{tenant}/lot/{code}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description `linkset`, or one of gs1:defaultLink, gs1:dpp, gs1:pip, gs1:traceability, gs1:recallStatus, gs1:sustainabilityInfo, gs1:certificationInfo */
                    readonly linkType?: unknown;
                };
                readonly header?: {
                    /** @description `ETag` of the answer that you have; 304 while it is the same */
                    readonly "If-None-Match"?: string;
                };
                readonly path: {
                    /** @description Slug of the tenant */
                    readonly tenant: string;
                    /** @description Code of the lot, percent-encoded once */
                    readonly code: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description The passport */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "text/html": string;
                        readonly "application/json": {
                            readonly passportId: string | null;
                            /** @enum {string} */
                            readonly passportStatus: "draft" | "active" | "recalled" | "expired" | "retired";
                            readonly version: number;
                            readonly issuedAt: string | null;
                            readonly lastUpdated: string | null;
                            readonly recalls: readonly {
                                readonly recallClass: string | null;
                                readonly reason: string | null;
                                readonly instructions: string | null;
                                readonly date: string;
                            }[];
                            readonly product: {
                                /** @enum {string} */
                                readonly granularity: "model" | "batch" | "item";
                                readonly name: string;
                                readonly description: string | null;
                                readonly picture: string | null;
                                readonly category: string | null;
                                readonly hsCode: string | null;
                                readonly key: string;
                                readonly gtin: string | null;
                                readonly lot: string | null;
                                readonly serial: string | null;
                                readonly producedOn: string | null;
                                readonly bestBefore: string | null;
                                readonly expired: boolean;
                                readonly retired: {
                                    readonly reason: string;
                                    readonly month: string;
                                } | null;
                                readonly attributes: {
                                    readonly [key: string]: unknown;
                                };
                            };
                            readonly operator: {
                                readonly name: string;
                                readonly lei: string | null;
                                readonly gln: string | null;
                                readonly logo: string | null;
                                readonly contact: {
                                    readonly [key: string]: string;
                                };
                            } | null;
                            readonly origin: {
                                readonly steps: readonly {
                                    readonly process: string;
                                    readonly country: string | null;
                                    readonly region: string | null;
                                    readonly month: string | null;
                                    readonly verifiedRatio: number | null;
                                    readonly attributes: {
                                        readonly [key: string]: readonly unknown[];
                                    };
                                }[];
                                readonly complete: boolean;
                            };
                            readonly footprint: {
                                readonly [key: string]: unknown;
                            } | null;
                            readonly certificates: readonly {
                                readonly [key: string]: unknown;
                            }[];
                            readonly traceability: {
                                readonly verifiedRatio: number | null;
                                readonly chainOfCustody: string | null;
                                readonly claimShare: number | null;
                            };
                            readonly previousPassports: readonly {
                                readonly id: string;
                                readonly passportId: string | null;
                                readonly name: string | null;
                                readonly key: string | null;
                            }[];
                            readonly nextPassports: readonly {
                                readonly id: string;
                                readonly passportId: string | null;
                                readonly name: string | null;
                                readonly key: string | null;
                            }[];
                            readonly integrity: {
                                readonly [key: string]: unknown;
                            } | null;
                            readonly links: {
                                readonly self: string;
                                readonly digitalLink: string | null;
                                readonly label: string | null;
                                readonly bundle: string | null;
                            };
                        };
                        readonly "application/linkset+json": {
                            readonly linkset: readonly {
                                readonly [key: string]: unknown;
                            }[];
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/dpps/{dppId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Keys and values, or elements with types */
                    readonly representation?: "compressed" | "full";
                };
                readonly header?: {
                    /** @description `ETag` of the answer that you have; 304 while it is the same */
                    readonly "If-None-Match"?: string;
                    /** @description Token of a grant: the elements of its class are read, too */
                    readonly "X-DPP-Grant"?: string;
                };
                readonly path: {
                    /** @description `digitalProductPassportId`, the address of the page, or the product identifier; percent-encoded once */
                    readonly dppId: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description The passport (EN 18223) */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            /** @description `urn:uuid:…` */
                            readonly digitalProductPassportId: string;
                            /** @description Canonical GS1 Digital Link; the id of the passport where the product has none */
                            readonly uniqueProductIdentifier: string;
                            /** @enum {string} */
                            readonly granularity: "model" | "batch" | "item";
                            readonly dppSchemaVersion: string;
                            /** @enum {string} */
                            readonly dppStatus: "active" | "inactive" | "archived" | "invalid";
                            /** Format: date-time */
                            readonly lastUpdated: string;
                            readonly economicOperatorId: string;
                            readonly facilityId?: string;
                            readonly contentSpecificationIds?: readonly string[];
                            /** @description In full representation */
                            readonly elements?: readonly {
                                readonly [key: string]: unknown;
                            }[];
                        } & {
                            readonly [key: string]: unknown;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly dppId: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Nobody reads it from now on */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        readonly patch: {
            readonly parameters: {
                readonly query?: {
                    /** @description Keys and values, or elements with types */
                    readonly representation?: "compressed" | "full";
                };
                readonly header?: never;
                readonly path: {
                    readonly dppId: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/merge-patch+json": {
                        readonly [key: string]: unknown;
                    };
                    readonly "application/json": {
                        readonly [key: string]: unknown;
                    };
                };
            };
            readonly responses: {
                /** @description The transaction that writes it, to be signed and sent */
                readonly 202: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["PreparedDppView"];
                    };
                };
            };
        };
        readonly trace?: never;
    };
    readonly "/v1/dppsByProductId/{productId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Keys and values, or elements with types */
                    readonly representation?: "compressed" | "full";
                };
                readonly header?: {
                    /** @description `ETag` of the answer that you have; 304 while it is the same */
                    readonly "If-None-Match"?: string;
                    /** @description Token of a grant: the elements of its class are read, too */
                    readonly "X-DPP-Grant"?: string;
                };
                readonly path: {
                    /** @description GS1 Digital Link (EN 18219) of any host, percent-encoded once */
                    readonly productId: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description The passport (EN 18223) */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            /** @description `urn:uuid:…` */
                            readonly digitalProductPassportId: string;
                            /** @description Canonical GS1 Digital Link; the id of the passport where the product has none */
                            readonly uniqueProductIdentifier: string;
                            /** @enum {string} */
                            readonly granularity: "model" | "batch" | "item";
                            readonly dppSchemaVersion: string;
                            /** @enum {string} */
                            readonly dppStatus: "active" | "inactive" | "archived" | "invalid";
                            /** Format: date-time */
                            readonly lastUpdated: string;
                            readonly economicOperatorId: string;
                            readonly facilityId?: string;
                            readonly contentSpecificationIds?: readonly string[];
                            /** @description In full representation */
                            readonly elements?: readonly {
                                readonly [key: string]: unknown;
                            }[];
                        } & {
                            readonly [key: string]: unknown;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/dppsByIdAndDate/{dppId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query: {
                    /** @description Keys and values, or elements with types */
                    readonly representation?: "compressed" | "full";
                    /** @description When: ISO 8601 with its offset */
                    readonly date: string;
                };
                readonly header?: {
                    /** @description `ETag` of the answer that you have; 304 while it is the same */
                    readonly "If-None-Match"?: string;
                };
                readonly path: {
                    /** @description `digitalProductPassportId`, the address of the page, or the product identifier; percent-encoded once */
                    readonly dppId: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description The passport (EN 18223) */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            /** @description `urn:uuid:…` */
                            readonly digitalProductPassportId: string;
                            /** @description Canonical GS1 Digital Link; the id of the passport where the product has none */
                            readonly uniqueProductIdentifier: string;
                            /** @enum {string} */
                            readonly granularity: "model" | "batch" | "item";
                            readonly dppSchemaVersion: string;
                            /** @enum {string} */
                            readonly dppStatus: "active" | "inactive" | "archived" | "invalid";
                            /** Format: date-time */
                            readonly lastUpdated: string;
                            readonly economicOperatorId: string;
                            readonly facilityId?: string;
                            readonly contentSpecificationIds?: readonly string[];
                            /** @description In full representation */
                            readonly elements?: readonly {
                                readonly [key: string]: unknown;
                            }[];
                        } & {
                            readonly [key: string]: unknown;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/dppsByProductIds": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: {
                    /** @description Identifiers in one answer */
                    readonly limit?: number;
                    /** @description `nextCursor` of the answer before; empty: from the first */
                    readonly cursor?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["ProductIdsBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["DppIdsView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/dpps/{dppId}/elements/{elementIdPath}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Keys and values, or elements with types */
                    readonly representation?: "compressed" | "full";
                };
                readonly header?: {
                    /** @description `ETag` of the answer that you have; 304 while it is the same */
                    readonly "If-None-Match"?: string;
                    /** @description Token of a grant: the elements of its class are read, too */
                    readonly "X-DPP-Grant"?: string;
                };
                readonly path: {
                    /** @description `digitalProductPassportId`, the address of the page, or the product identifier; percent-encoded once */
                    readonly dppId: string;
                    /** @description Normalised path (RFC 9535) into the compressed passport, percent-encoded once */
                    readonly elementIdPath: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description The data element */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": unknown;
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch: {
            readonly parameters: {
                readonly query?: {
                    /** @description Keys and values, or elements with types */
                    readonly representation?: "compressed" | "full";
                };
                readonly header?: never;
                readonly path: {
                    readonly dppId: string;
                    /** @description Normalised path (RFC 9535) into the compressed passport, percent-encoded once */
                    readonly elementIdPath: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": unknown;
                };
            };
            readonly responses: {
                /** @description The transaction that writes it, to be signed and sent */
                readonly 202: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["PreparedDppView"];
                    };
                };
            };
        };
        readonly trace?: never;
    };
    readonly "/v1/dpps": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: {
                    /** @description Keys and values, or elements with types */
                    readonly representation?: "compressed" | "full";
                };
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly [key: string]: unknown;
                    };
                };
            };
            readonly responses: {
                /** @description The transaction that writes it, to be signed and sent */
                readonly 202: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["PreparedDppView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/p/{passportId}/bundle": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Of a signed link */
                    readonly key?: unknown;
                    /** @description Of a signed link */
                    readonly until?: unknown;
                };
                readonly header?: {
                    /** @description `ETag` of the answer that you have; 304 while it is the same */
                    readonly "If-None-Match"?: string;
                };
                readonly path: {
                    /** @description 32 hexadecimal digits */
                    readonly passportId: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Canonical JSON (RFC 8785) */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly [key: string]: unknown;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/passports/{passportId}/bundle-link": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly passportId: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["LinkBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["BundleLinkView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/verify": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description One file that loads nothing else */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "text/html": string;
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/p/{passportId}/label.svg": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Its code: `qr` with the Digital Link, 80 × 40 mm; `gs1-datamatrix` with the elements of the key, 80 × 40 mm; `gs1-128` with the same, 105 × 74 mm */
                    readonly symbol?: "qr" | "gs1-datamatrix" | "gs1-128";
                };
                readonly header?: {
                    /** @description `ETag` of the answer that you have; 304 while it is the same */
                    readonly "If-None-Match"?: string;
                };
                readonly path: {
                    /** @description 32 hexadecimal digits */
                    readonly passportId: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description SVG */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "image/svg+xml": string;
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/p/{passportId}/label.pdf": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Its code: `qr` with the Digital Link, 80 × 40 mm; `gs1-datamatrix` with the elements of the key, 80 × 40 mm; `gs1-128` with the same, 105 × 74 mm */
                    readonly symbol?: "qr" | "gs1-datamatrix" | "gs1-128";
                    /** @description An A4 sheet full of the label; without it a page of its size */
                    readonly sheet?: "a4";
                };
                readonly header?: {
                    /** @description `ETag` of the answer that you have; 304 while it is the same */
                    readonly "If-None-Match"?: string;
                };
                readonly path: {
                    /** @description 32 hexadecimal digits */
                    readonly passportId: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description PDF of one page */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/pdf": string;
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/passport-settings": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["PassportSettingsView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description `ETag` of the state that you change; any state when absent */
                    readonly "If-Match"?: string;
                };
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["PassportSettingsBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["PassportSettingsView"];
                    };
                };
            };
        };
        readonly trace?: never;
    };
    readonly "/api/v1/passports": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Page, from 1 */
                    readonly page?: number;
                    /** @description Items per page */
                    readonly limit?: number;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["PassportPageView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/passports/{passportId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly passportId: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["PassportView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/passports/{passportId}/withdraw": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly passportId: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["WithdrawBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["PassportView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/passports/{passportId}/reinstate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly passportId: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["PassportView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/nfts/{tokenId}/passport": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly tokenId: number;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly [key: string]: unknown;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly tokenId: number;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["PassportView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/passports/{passportId}/versions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Page, from 1 */
                    readonly page?: number;
                    /** @description Items per page */
                    readonly limit?: number;
                };
                readonly header?: never;
                readonly path: {
                    readonly passportId: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["PassportVersionPageView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/passports/{passportId}/grants": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Page, from 1 */
                    readonly page?: number;
                    /** @description Items per page */
                    readonly limit?: number;
                };
                readonly header?: never;
                readonly path: {
                    readonly passportId: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["AccessGrantPageView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly passportId: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["CreateGrantBody"];
                };
            };
            readonly responses: {
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["CreatedGrantView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/passports/{passportId}/grants/{grantId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly passportId: string;
                    readonly grantId: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["AccessGrantView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly passportId: string;
                    readonly grantId: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Withdrawn */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/p/{passportId}/granted": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description `yes` opens it for a browser, too */
                    readonly open?: unknown;
                    /** @description The token of the grant */
                    readonly grant?: unknown;
                };
                readonly header?: never;
                readonly path: {
                    readonly passportId: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description The passport */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "text/html": string;
                        readonly "application/json": {
                            readonly [key: string]: unknown;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/links": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Page, from 1 */
                    readonly page?: number;
                    /** @description Items per page */
                    readonly limit?: number;
                    /** @description Only the links of this GS1 Digital Link */
                    readonly anchor?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["LinkPageView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["CreateLinkBody"];
                };
            };
            readonly responses: {
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["TenantLinkView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/links/{linkId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly linkId: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["TenantLinkView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description `ETag` of the state that you change; any state when absent */
                    readonly "If-Match"?: string;
                };
                readonly path: {
                    readonly linkId: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Deleted */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        readonly patch: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description `ETag` of the state that you change; any state when absent */
                    readonly "If-Match"?: string;
                };
                readonly path: {
                    readonly linkId: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["ChangeLinkBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["TenantLinkView"];
                    };
                };
            };
        };
        readonly trace?: never;
    };
    readonly "/.well-known/gs1resolver": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description The resolver description file */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly name: string;
                            /** Format: uri */
                            readonly resolverRoot: string;
                            readonly supportedPrimaryKeys: readonly string[];
                            readonly supportedLinkType: readonly {
                                /** Format: uri */
                                readonly namespace: string;
                                readonly prefix: string;
                            }[];
                            readonly linkTypeDefaultCanBeLinkset: boolean;
                            /** Format: uri */
                            readonly jsonLdContextLocation: string;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/p/{passportId}/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly passportId: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: never;
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/{path}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Slug of the tenant whose links they are, where several have some for this key */
                    readonly tenant?: unknown;
                    /** @description `linkset` or `all` for all links; otherwise a link type of the GS1 Web Vocabulary, such as `gs1:recallStatus` */
                    readonly linkType?: unknown;
                };
                readonly header?: never;
                readonly path: {
                    /** @description Path of a GS1 Digital Link: `01/09520123450014/10/A1`, compressed or not */
                    readonly path: unknown;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description All links (RFC 9264) */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/linkset+json": {
                            /** Format: uri */
                            readonly "@context"?: string;
                            readonly linkset: readonly ({
                                readonly anchor: string;
                            } & {
                                readonly [key: string]: unknown;
                            })[];
                        };
                        readonly "application/json": {
                            /** Format: uri */
                            readonly "@context"?: string;
                            readonly linkset: readonly ({
                                readonly anchor: string;
                            } & {
                                readonly [key: string]: unknown;
                            })[];
                        };
                        readonly "application/ld+json": {
                            /** Format: uri */
                            readonly "@context"?: string;
                            readonly linkset: readonly ({
                                readonly anchor: string;
                            } & {
                                readonly [key: string]: unknown;
                            })[];
                        };
                        readonly "text/html": string;
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/registry-settings": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["RegistrySettingsView"];
                    };
                };
            };
        };
        readonly put: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["RegistrySettingsBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["RegistrySettingsView"];
                    };
                };
            };
        };
        readonly post?: never;
        readonly delete: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Removed */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/registrations": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Page, from 1 */
                    readonly page?: number;
                    /** @description Items per page */
                    readonly limit?: number;
                    /** @description Only those in this state */
                    readonly state?: "waiting" | "registered" | "refused";
                    /** @description Only those of this passport */
                    readonly passportId?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["RegistrationPageView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/registrations/batch": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["RegistrationBatchView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/registrations/outcomes": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["RegistrationOutcomesBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["SettledBatchView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/reports/alerts/{alertId}/ack": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly alertId: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["AcknowledgeBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["AlertView"];
                    };
                };
            };
        };
        readonly delete: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly alertId: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/reports/alerts/limits": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["AlertLimitsView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description `ETag` of the state that you change; any state when absent */
                    readonly "If-Match"?: string;
                };
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["AlertLimitsBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["AlertLimitsView"];
                    };
                };
            };
        };
        readonly trace?: never;
    };
    readonly "/api/v1/notices": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Page, from 1 */
                    readonly page?: number;
                    /** @description Items per page */
                    readonly limit?: number;
                    /** @description Only those that are not read */
                    readonly unread?: boolean;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["NoticePageView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/notices/read": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["ReadNoticesBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["UnreadNoticesView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/notices/choices": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["NoticeChoicesView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/notices/choices/{topic}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly topic: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["NoticeChoiceBody"];
                };
            };
            readonly responses: {
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/notices/off": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Of the link */
                    readonly token?: unknown;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "text/html": string;
                    };
                };
            };
        };
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: {
                    /** @description Of the link */
                    readonly token?: unknown;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            /** @description Nothing of it is read */
            readonly requestBody?: {
                readonly content: {
                    readonly "application/x-www-form-urlencoded": {
                        readonly [key: string]: unknown;
                    };
                    readonly "multipart/form-data": {
                        readonly [key: string]: unknown;
                    };
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "text/html": string;
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/search": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query: {
                    /** @description A lot code or its beginning, a GS1 Digital Link, a GS1 element string, an SSCC, a GTIN, or a part of the name of a product or company, or of the number of a document */
                    readonly q: string;
                    /** @description At most so many of each kind */
                    readonly limit?: number;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["SearchView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/reports/alerts": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Beginning of the period, included (ISO 8601 with an offset, or a date: midnight UTC) */
                    readonly from?: string;
                    /** @description End of the period, excluded */
                    readonly to?: string;
                    /** @description Only this organisation. Its administrator reads no other one */
                    readonly orgId?: string;
                    /** @description Rows per page. Without it, tables (`format=csv`, `xlsx` and `ndjson`) have every row */
                    readonly limit?: number;
                    /** @description `nextCursor` of the page before */
                    readonly cursor?: string;
                    /** @description CSV is RFC 4180, UTF-8 with a byte order mark; a workbook with several worksheets has at most 50,000 rows; NDJSON has a row of the JSON response in each line */
                    readonly format?: "json" | "csv" | "xlsx" | "ndjson";
                    /** @description Only alerts with this severity: critical, high, medium, low */
                    readonly severity?: string;
                    /** @description Only alerts of this rule */
                    readonly type?: string;
                    /** @description `true`: muted alerts instead of those that are not muted */
                    readonly muted?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["AlertsReportView"];
                        readonly "text/csv": components["schemas"]["AlertsReportView"];
                        readonly "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": components["schemas"]["AlertsReportView"];
                        readonly "application/x-ndjson": components["schemas"]["AlertsReportView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/reports/data-reference": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Beginning of the period, included (ISO 8601 with an offset, or a date: midnight UTC) */
                    readonly from?: string;
                    /** @description End of the period, excluded */
                    readonly to?: string;
                    /** @description Only this organisation. Its administrator reads no other one */
                    readonly orgId?: string;
                    /** @description Rows per page. Without it, tables (`format=csv`, `xlsx` and `ndjson`) have every row */
                    readonly limit?: number;
                    /** @description `nextCursor` of the page before */
                    readonly cursor?: string;
                    /** @description CSV is RFC 4180, UTF-8 with a byte order mark; a workbook with several worksheets has at most 50,000 rows; NDJSON has a row of the JSON response in each line */
                    readonly format?: "json" | "csv" | "xlsx" | "ndjson";
                    /** @description Only pointers of this kind: cid, dataHash, tx, nft, document, ext */
                    readonly kind?: string;
                    /** @description Only pointers with this status: mismatch, unresolved, not_checked, ok */
                    readonly status?: string;
                    /** @description `true`: first check faulty pointers again, then those checked longest ago; 200 pointers at most */
                    readonly refresh?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["DataReferenceReportView"];
                        readonly "text/csv": components["schemas"]["DataReferenceReportView"];
                        readonly "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": components["schemas"]["DataReferenceReportView"];
                        readonly "application/x-ndjson": components["schemas"]["DataReferenceReportView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/reports/documents": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Beginning of the period, included (ISO 8601 with an offset, or a date: midnight UTC) */
                    readonly from?: string;
                    /** @description End of the period, excluded */
                    readonly to?: string;
                    /** @description Only this organisation. Its administrator reads no other one */
                    readonly orgId?: string;
                    /** @description Rows per page. Without it, tables (`format=csv`, `xlsx` and `ndjson`) have every row */
                    readonly limit?: number;
                    /** @description `nextCursor` of the page before */
                    readonly cursor?: string;
                    /** @description CSV is RFC 4180, UTF-8 with a byte order mark; a workbook with several worksheets has at most 50,000 rows; NDJSON has a row of the JSON response in each line */
                    readonly format?: "json" | "csv" | "xlsx" | "ndjson";
                    /** @description Only the document with this name in exports (`bizTransaction` in EPCIS); what is missing does not depend on it */
                    readonly document?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["DocumentsReportView"];
                        readonly "text/csv": components["schemas"]["DocumentsReportView"];
                        readonly "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": components["schemas"]["DocumentsReportView"];
                        readonly "application/x-ndjson": components["schemas"]["DocumentsReportView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/reports/fsma204": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Beginning of the period, included (ISO 8601 with an offset, or a date: midnight UTC) */
                    readonly from?: string;
                    /** @description End of the period, excluded */
                    readonly to?: string;
                    /** @description Only this organisation. Its administrator reads no other one */
                    readonly orgId?: string;
                    /** @description Rows per page. Without it, tables (`format=csv`, `xlsx` and `ndjson`) have every row */
                    readonly limit?: number;
                    /** @description `nextCursor` of the page before */
                    readonly cursor?: string;
                    /** @description CSV is RFC 4180, UTF-8 with a byte order mark; a workbook with several worksheets has at most 50,000 rows; NDJSON has a row of the JSON response in each line */
                    readonly format?: "json" | "csv" | "xlsx" | "ndjson";
                    /** @description Only events of the lot with this code or IRI, or of a container of it */
                    readonly tlc?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["Fsma204ReportView"];
                        readonly "text/csv": components["schemas"]["Fsma204ReportView"];
                        readonly "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": components["schemas"]["Fsma204ReportView"];
                        readonly "application/x-ndjson": components["schemas"]["Fsma204ReportView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/reports/inventory": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Beginning of the period, included (ISO 8601 with an offset, or a date: midnight UTC) */
                    readonly from?: string;
                    /** @description End of the period, excluded */
                    readonly to?: string;
                    /** @description Only this organisation. Its administrator reads no other one */
                    readonly orgId?: string;
                    /** @description Rows per page. Without it, tables (`format=csv`, `xlsx` and `ndjson`) have every row */
                    readonly limit?: number;
                    /** @description `nextCursor` of the page before */
                    readonly cursor?: string;
                    /** @description CSV is RFC 4180, UTF-8 with a byte order mark; a workbook with several worksheets has at most 50,000 rows; NDJSON has a row of the JSON response in each line */
                    readonly format?: "json" | "csv" | "xlsx" | "ndjson";
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["InventoryReportView"];
                        readonly "text/csv": components["schemas"]["InventoryReportView"];
                        readonly "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": components["schemas"]["InventoryReportView"];
                        readonly "application/x-ndjson": components["schemas"]["InventoryReportView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/reports/places": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Beginning of the period, included (ISO 8601 with an offset, or a date: midnight UTC) */
                    readonly from?: string;
                    /** @description End of the period, excluded */
                    readonly to?: string;
                    /** @description Only this organisation. Its administrator reads no other one */
                    readonly orgId?: string;
                    /** @description Rows per page. Without it, tables (`format=csv`, `xlsx` and `ndjson`) have every row */
                    readonly limit?: number;
                    /** @description `nextCursor` of the page before */
                    readonly cursor?: string;
                    /** @description CSV is RFC 4180, UTF-8 with a byte order mark; a workbook with several worksheets has at most 50,000 rows; NDJSON has a row of the JSON response in each line */
                    readonly format?: "json" | "csv" | "xlsx" | "ndjson";
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["PlacesReportView"];
                        readonly "text/csv": components["schemas"]["PlacesReportView"];
                        readonly "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": components["schemas"]["PlacesReportView"];
                        readonly "application/x-ndjson": components["schemas"]["PlacesReportView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/reports/sponsorship": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Beginning of the period, included (ISO 8601 with an offset, or a date: midnight UTC) */
                    readonly from?: string;
                    /** @description End of the period, excluded */
                    readonly to?: string;
                    /** @description Only this organisation. Its administrator reads no other one */
                    readonly orgId?: string;
                    /** @description Rows per page. Without it, tables (`format=csv`, `xlsx` and `ndjson`) have every row */
                    readonly limit?: number;
                    /** @description `nextCursor` of the page before */
                    readonly cursor?: string;
                    /** @description CSV is RFC 4180, UTF-8 with a byte order mark; a workbook with several worksheets has at most 50,000 rows; NDJSON has a row of the JSON response in each line */
                    readonly format?: "json" | "csv" | "xlsx" | "ndjson";
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["SponsorshipReportView"];
                        readonly "text/csv": components["schemas"]["SponsorshipReportView"];
                        readonly "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": components["schemas"]["SponsorshipReportView"];
                        readonly "application/x-ndjson": components["schemas"]["SponsorshipReportView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/reports/suppliers": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Beginning of the period, included (ISO 8601 with an offset, or a date: midnight UTC) */
                    readonly from?: string;
                    /** @description End of the period, excluded */
                    readonly to?: string;
                    /** @description Only this organisation. Its administrator reads no other one */
                    readonly orgId?: string;
                    /** @description Rows per page. Without it, tables (`format=csv`, `xlsx` and `ndjson`) have every row */
                    readonly limit?: number;
                    /** @description `nextCursor` of the page before */
                    readonly cursor?: string;
                    /** @description CSV is RFC 4180, UTF-8 with a byte order mark; a workbook with several worksheets has at most 50,000 rows; NDJSON has a row of the JSON response in each line */
                    readonly format?: "json" | "csv" | "xlsx" | "ndjson";
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["SuppliersReportView"];
                        readonly "text/csv": components["schemas"]["SuppliersReportView"];
                        readonly "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": components["schemas"]["SuppliersReportView"];
                        readonly "application/x-ndjson": components["schemas"]["SuppliersReportView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/reports/suppliers/{orgId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Beginning of the period, included (ISO 8601 with an offset, or a date: midnight UTC) */
                    readonly from?: string;
                    /** @description End of the period, excluded */
                    readonly to?: string;
                    /** @description Only this organisation. Its administrator reads no other one */
                    readonly orgId?: string;
                    /** @description Rows per page. Without it, tables (`format=csv`, `xlsx` and `ndjson`) have every row */
                    readonly limit?: number;
                    /** @description `nextCursor` of the page before */
                    readonly cursor?: string;
                    /** @description CSV is RFC 4180, UTF-8 with a byte order mark; a workbook with several worksheets has at most 50,000 rows; NDJSON has a row of the JSON response in each line */
                    readonly format?: "json" | "csv" | "xlsx" | "ndjson";
                };
                readonly header?: never;
                readonly path: {
                    readonly orgId: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["SuppliersReportView"];
                        readonly "text/csv": components["schemas"]["SuppliersReportView"];
                        readonly "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": components["schemas"]["SuppliersReportView"];
                        readonly "application/x-ndjson": components["schemas"]["SuppliersReportView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/reports/trends": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Beginning of the period, included (ISO 8601 with an offset, or a date: midnight UTC) */
                    readonly from?: string;
                    /** @description End of the period, excluded */
                    readonly to?: string;
                    /** @description Only this organisation. Its administrator reads no other one */
                    readonly orgId?: string;
                    /** @description Rows per page. Without it, tables (`format=csv`, `xlsx` and `ndjson`) have every row */
                    readonly limit?: number;
                    /** @description `nextCursor` of the page before */
                    readonly cursor?: string;
                    /** @description CSV is RFC 4180, UTF-8 with a byte order mark; a workbook with several worksheets has at most 50,000 rows; NDJSON has a row of the JSON response in each line */
                    readonly format?: "json" | "csv" | "xlsx" | "ndjson";
                    /** @description `day`, `week` or `month` (default) */
                    readonly interval?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["TrendsReportView"];
                        readonly "text/csv": components["schemas"]["TrendsReportView"];
                        readonly "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": components["schemas"]["TrendsReportView"];
                        readonly "application/x-ndjson": components["schemas"]["TrendsReportView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/reports/yield": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Beginning of the period, included (ISO 8601 with an offset, or a date: midnight UTC) */
                    readonly from?: string;
                    /** @description End of the period, excluded */
                    readonly to?: string;
                    /** @description Only this organisation. Its administrator reads no other one */
                    readonly orgId?: string;
                    /** @description Rows per page. Without it, tables (`format=csv`, `xlsx` and `ndjson`) have every row */
                    readonly limit?: number;
                    /** @description `nextCursor` of the page before */
                    readonly cursor?: string;
                    /** @description CSV is RFC 4180, UTF-8 with a byte order mark; a workbook with several worksheets has at most 50,000 rows; NDJSON has a row of the JSON response in each line */
                    readonly format?: "json" | "csv" | "xlsx" | "ndjson";
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["YieldReportView"];
                        readonly "text/csv": components["schemas"]["YieldReportView"];
                        readonly "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": components["schemas"]["YieldReportView"];
                        readonly "application/x-ndjson": components["schemas"]["YieldReportView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/webhooks/topics": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": readonly components["schemas"]["TopicView"][];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/webhooks": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": readonly components["schemas"]["WebhookView"][];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["RegisterWebhookBody"];
                };
            };
            readonly responses: {
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["WebhookWithSecretView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/webhooks/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["WebhookView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description `ETag` of the state that you change; any state when absent */
                    readonly "If-Match"?: string;
                };
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        readonly patch: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description `ETag` of the state that you change; any state when absent */
                    readonly "If-Match"?: string;
                };
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["ChangeWebhookBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["WebhookView"];
                    };
                };
            };
        };
        readonly trace?: never;
    };
    readonly "/api/v1/webhooks/{id}/test": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 202: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["TestSentView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/webhooks/{id}/rotate-secret": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["RotateSecretBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["WebhookWithSecretView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/webhooks/{id}/resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["WebhookView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/webhooks/{id}/deliveries": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description One topic only */
                    readonly event?: string;
                    /** @description One state only */
                    readonly status?: "pending" | "sending" | "retrying" | "delivered" | "failed" | "discarded";
                    /** @description From the `Link` header of the page before */
                    readonly cursor?: string;
                };
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": readonly components["schemas"]["DeliveryView"][];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/webhooks/{id}/deliveries/{deliveryId}/request": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                    readonly deliveryId: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["DeliveryRequestView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/webhooks/{id}/deliveries/{deliveryId}/resend": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly id: string;
                    readonly deliveryId: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 202: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["TestSentView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/webhooks/{id}/recover": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["RecoverBody"];
                };
            };
            readonly responses: {
                readonly 202: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["RecoveringView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/changes/consumers": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": readonly components["schemas"]["ConsumerView"][];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/changes/consumers/{name}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly name: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["ConsumerView"];
                    };
                };
            };
        };
        readonly put: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly name: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["ConsumerBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["ConsumerView"];
                    };
                };
            };
        };
        readonly post?: never;
        readonly delete: {
            readonly parameters: {
                readonly query?: {
                    /** @description Of whom, for an administrator; you, without it */
                    readonly ownerId?: string;
                };
                readonly header?: never;
                readonly path: {
                    readonly name: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/changes/consumers/{name}/acknowledge": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly name: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["AcknowledgeChangesBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["ConsumerView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/changes": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Changes behind this `cursor`; `latest`: those from now on; without it from the oldest that is kept */
                    readonly after?: string;
                    /** @description Topics, families (`custody.*`) or `*`; commas may separate them */
                    readonly topics?: readonly string[];
                    /** @description Seconds to wait for a change when there is none */
                    readonly wait?: number;
                    /** @description Changes of one answer */
                    readonly limit?: number;
                    /** @description One of your consumers: changes behind its place, of its topics */
                    readonly consumer?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description The next part of the feed. `Link` with `rel="next"` leads on */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["ChangesView"];
                        readonly "application/cloudevents-batch+json": readonly ({
                            readonly specversion: string;
                            readonly id: string;
                            readonly source: string;
                            readonly type: string;
                            readonly subject?: string;
                            readonly time?: string;
                            readonly datacontenttype?: string;
                            readonly cursor?: string;
                        } & {
                            readonly [key: string]: unknown;
                        })[];
                        readonly "text/event-stream": string;
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/events/validate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["EventBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["VerdictView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/events/prepare": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["EventBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["PreparedEventView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/events/prepare/batch": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["EventBatchBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["EventBatchView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/events/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description `json` (default); `epcis`: an EPCISDocument, also by `Accept: application/ld+json`; `csv`, `xlsx` or `ndjson`: a table, with the columns of the import template where `processType` is given */
                    readonly format?: string;
                };
                readonly header?: {
                    /** @description `application/ld+json` for an EPCIS 2.0 document */
                    readonly Accept?: string;
                };
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["EventView"];
                        readonly "application/ld+json": {
                            readonly [key: string]: unknown;
                        };
                        readonly "text/csv": string;
                        readonly "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                        readonly "application/x-ndjson": string;
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/events/{id}/void/prepare": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["VoidBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["PreparedVoidView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/events/{id}/supersede/prepare": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["SupersedeBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["PreparedEventView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/events/{id}/content": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description `ETag` of the answer that you have; 304 while it is the same */
                    readonly "If-None-Match"?: string;
                };
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly [key: string]: unknown;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/events/{id}/content/opened": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["OpenedContentView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/events/{id}/disclosures": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Pointers (RFC 6901) into the content, several separated by commas, such as `/metadata/plot`; children are included. Without it, all that is sealed */
                    readonly pointers?: string;
                };
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["DisclosuresView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/events/{id}/verify": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["VerificationView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/process-maps": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Page, from 1 */
                    readonly page?: number;
                    /** @description Items per page */
                    readonly limit?: number;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["ProcessMapPageView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": Record<string, unknown>;
                };
            };
            readonly responses: {
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["ProcessMapView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/process-maps/{name}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description A published version; absent: the newest */
                    readonly version?: string;
                };
                readonly header?: {
                    /** @description `ETag` of the answer that you have; 304 while it is the same */
                    readonly "If-None-Match"?: string;
                };
                readonly path: {
                    readonly name: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["ProcessMapDocumentView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/process-maps/validate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": Record<string, unknown>;
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["ProcessMapVerdictView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/process-map-templates": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["ProcessMapTemplatesView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/process-maps/try": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["ProcessMapTrialBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["ProcessMapTrialView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/rules": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["RulesView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description `ETag` of the state that you change; any state when absent */
                    readonly "If-Match"?: string;
                };
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["RulesBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["RulesView"];
                    };
                };
            };
        };
        readonly trace?: never;
    };
    readonly "/api/v1/privacy/erasures": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["ErasureBody"];
                };
            };
            readonly responses: {
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["ErasureView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/privacy/subjects": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["SubjectBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["SubjectDataView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/privacy/export": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["SubjectBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["SubjectExportView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/nfts": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Page, from 1 */
                    readonly page?: number;
                    /** @description Items per page */
                    readonly limit?: number;
                    /** @description `nextCursor` of the previous page; replaces `page` */
                    readonly cursor?: string;
                    /** @description CSV is RFC 4180, UTF-8 with a byte order mark; NDJSON has an item of the list in each line */
                    readonly format?: "json" | "csv" | "xlsx" | "ndjson";
                    /** @description Every item in one table, written as fast as it is read; not as `json` */
                    readonly all?: boolean;
                    /** @description What a lot is now */
                    readonly status?: "retired" | "recalled" | "consumed" | "in_transit" | "aggregated" | "on_hold" | "expired" | "active";
                    /** @description Key of an asset type in the process map */
                    readonly assetType?: string;
                    /** @description EIP-55 address of its custodian */
                    readonly custodian?: string;
                    /** @description Organisation that is its custodian, by any of its wallets */
                    readonly orgId?: string;
                    /** @description A code, or the beginning of one, or the IRI of a lot: its GS1 Digital Link, or its name in exports */
                    readonly tlc?: string;
                    /** @description GTIN of 8, 12, 13 or 14 digits */
                    readonly gtin?: string;
                    /** @description Serial number of a single item */
                    readonly serial?: string;
                    /** @description Name of a process map */
                    readonly processMap?: string;
                    /** @description Minted from here on: ISO 8601 with an offset, or a date (UTC) */
                    readonly createdFrom?: string;
                    /** @description Minted before this */
                    readonly createdTo?: string;
                    /** @description Expires, or expired, before this, and is neither used up nor retired */
                    readonly expiringBefore?: string;
                    /** @description Recalled itself, or not */
                    readonly recalled?: boolean;
                    /** @description `-tokenId` (default; `tlc` where `tlc` is given): newest first; `expiresAt`: those without an expiry last */
                    readonly sort?: "-tokenId" | "tokenId" | "expiresAt" | "tlc";
                    /** @description State as of a block number, or of the last block at or before a time (ISO 8601 with an offset): landing time, not event time */
                    readonly asOf?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["LotPageView"];
                        readonly "text/csv": string;
                        readonly "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                        readonly "application/x-ndjson": string;
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/nfts/by-tlc/{tlc}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description State as of a block number, or of the last block at or before a time (ISO 8601 with an offset): landing time, not event time */
                    readonly asOf?: string;
                    /** @description GTIN of 8, 12, 13 or 14 digits */
                    readonly gtin?: string;
                    /** @description Serial number of a single item */
                    readonly serial?: string;
                    /** @description EIP-55 address of the custodian of the part that is meant */
                    readonly custodian?: string;
                };
                readonly header?: never;
                readonly path: {
                    /** @description A code, or the IRI of a lot: its GS1 Digital Link, or its name in exports; percent-encoded, a slash too */
                    readonly tlc: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["LotView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/nfts/{tokenId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description State as of a block number, or of the last block at or before a time (ISO 8601 with an offset): landing time, not event time */
                    readonly asOf?: string;
                };
                readonly header?: never;
                readonly path: {
                    readonly tokenId: number;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["LotView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/nfts/{tokenId}/ancestry": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Levels from the lot */
                    readonly maxDepth?: number;
                    /** @description Lots in the answer, the one asked about aside */
                    readonly maxNodes?: number;
                    /** @description Which edges to follow */
                    readonly edges?: "transformation" | "containment" | "split" | "all";
                    /** @description `tree` nests; a lot that was shown already appears as `{ tokenId, tlc, ref: true }` */
                    readonly format?: "graph" | "tree";
                    /** @description State as of a block number, or of the last block at or before a time (ISO 8601 with an offset): landing time, not event time */
                    readonly asOf?: string;
                    /** @description `nextCursor` of an answer that was cut: goes on exactly there, as of the same block */
                    readonly cursor?: string;
                };
                readonly header?: never;
                readonly path: {
                    readonly tokenId: number;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["GraphView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/nfts/{tokenId}/descendants": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Levels from the lot */
                    readonly maxDepth?: number;
                    /** @description Lots in the answer, the one asked about aside */
                    readonly maxNodes?: number;
                    /** @description Which edges to follow */
                    readonly edges?: "transformation" | "containment" | "split" | "all";
                    /** @description `tree` nests; a lot that was shown already appears as `{ tokenId, tlc, ref: true }` */
                    readonly format?: "graph" | "tree";
                    /** @description State as of a block number, or of the last block at or before a time (ISO 8601 with an offset): landing time, not event time */
                    readonly asOf?: string;
                    /** @description `nextCursor` of an answer that was cut: goes on exactly there, as of the same block */
                    readonly cursor?: string;
                };
                readonly header?: never;
                readonly path: {
                    readonly tokenId: number;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["GraphView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/nfts/{tokenId}/relations": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description State as of a block number, or of the last block at or before a time (ISO 8601 with an offset): landing time, not event time */
                    readonly asOf?: string;
                };
                readonly header?: never;
                readonly path: {
                    readonly tokenId: number;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["RelationsView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/nfts/{tokenId}/footprint": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Levels upstream */
                    readonly maxDepth?: number;
                    /** @description Lots upstream */
                    readonly maxNodes?: number;
                    /** @description State as of a block number, or of the last block at or before a time (ISO 8601 with an offset): landing time, not event time */
                    readonly asOf?: string;
                };
                readonly header?: never;
                readonly path: {
                    readonly tokenId: number;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["FootprintView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Page, from 1 */
                    readonly page?: number;
                    /** @description Items per page */
                    readonly limit?: number;
                    /** @description `nextCursor` of the previous page; replaces `page` */
                    readonly cursor?: string;
                    /** @description `json` (default); `epcis`: an EPCISDocument, also by `Accept: application/ld+json`; `csv`, `xlsx` or `ndjson`: a table, with the columns of the import template where `processType` is given */
                    readonly format?: string;
                    /** @description Every event in one answer, written as fast as it is read; not as `json` */
                    readonly all?: boolean;
                    /** @description Key in the process map */
                    readonly processType?: string;
                    /** @description Kind of process */
                    readonly kind?: "creation" | "observation" | "transformation" | "aggregation" | "disaggregation" | "association" | "transfer" | "disposal";
                    /** @description `landed` (default): recorded, voided or superseded */
                    readonly status?: "landed" | "prepared" | "submitted" | "recorded" | "failed" | "expired" | "voided" | "superseded" | "all";
                    /** @description A lot that it names, as input or output */
                    readonly tokenId?: string | number;
                    /** @description The code of such a lot, or its IRI */
                    readonly tlc?: string;
                    /** @description Organisation that recorded it */
                    readonly orgId?: string;
                    /** @description eventTime from here on: ISO 8601 with an offset, or a date (UTC) */
                    readonly from?: string;
                    /** @description eventTime before this, in the same form */
                    readonly to?: string;
                };
                readonly header?: {
                    /** @description `application/ld+json` for an EPCIS 2.0 document */
                    readonly Accept?: string;
                };
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description A page of events; in another format its `Link` header leads to the next */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["EventPageView"];
                        readonly "application/ld+json": {
                            readonly [key: string]: unknown;
                        };
                        readonly "text/csv": string;
                        readonly "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                        readonly "application/x-ndjson": string;
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/nfts/{tokenId}/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Page, from 1 */
                    readonly page?: number;
                    /** @description Items per page */
                    readonly limit?: number;
                    /** @description `nextCursor` of the previous page; replaces `page` */
                    readonly cursor?: string;
                    /** @description `json` (default); `epcis`: an EPCISDocument, also by `Accept: application/ld+json`; `csv`, `xlsx` or `ndjson`: a table, with the columns of the import template where `processType` is given */
                    readonly format?: string;
                    /** @description Every event in one answer, written as fast as it is read; not as `json` */
                    readonly all?: boolean;
                    /** @description Events of everything the lot was made from, and of everything that became of it */
                    readonly tree?: boolean;
                };
                readonly header?: {
                    /** @description `application/ld+json` for an EPCIS 2.0 document */
                    readonly Accept?: string;
                };
                readonly path: {
                    readonly tokenId: number;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description A page of events; in another format its `Link` header leads to the next */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["EventPageView"];
                        readonly "application/ld+json": {
                            readonly [key: string]: unknown;
                        };
                        readonly "text/csv": string;
                        readonly "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                        readonly "application/x-ndjson": string;
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/tx/prepare": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["TxPrepareBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["PreparedGenericView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/tx/relay": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Of your organisation, or another one of yours (EIP-55); absent: the one that is your wallet */
                    readonly account?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["RelayAccountView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["RelayBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["RelayedView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/tx/relay/{relayId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly relayId: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["RelayStateView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/tx/track": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect. */
                    readonly "Idempotency-Key"?: string;
                };
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["TrackBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["TrackingView"];
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/tx": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Page, from 1 */
                    readonly page?: number;
                    /** @description Items per page */
                    readonly limit?: number;
                    /** @description Only those in this state */
                    readonly status?: "submitted" | "pending" | "confirming" | "confirmed" | "failed" | "replaced" | "dropped";
                    /** @description Only those of this category of yours */
                    readonly type?: string;
                    /** @description submittedAt from here on: ISO 8601 with an offset, or a date (UTC) */
                    readonly from?: string;
                    /** @description submittedAt before this, in the same form */
                    readonly to?: string;
                    /** @description `nextCursor` of the previous page; replaces `page` */
                    readonly cursor?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["TrackedPageView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/tx/status/{txHash}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly txHash: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["TrackedView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/tx/{trackingId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly trackingId: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["TrackedView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/chain": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["ChainView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/sponsorship": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["SponsorshipView"];
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["SponsorshipBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["SponsorshipView"];
                    };
                };
            };
        };
        readonly trace?: never;
    };
    readonly "/api/v2/tenants/{id}/sponsorship": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": components["schemas"]["CeilingBody"];
                };
            };
            readonly responses: {
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": components["schemas"]["SponsorshipView"];
                    };
                };
            };
        };
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        readonly LoginRequest: {
            /**
             * @description E-mail address, any case
             * @example admin@rice.example
             */
            readonly email: string;
            /**
             * Format: password
             * @description Password
             */
            readonly password: string;
            /** @description Slug or UUID of the tenant to log in to */
            readonly tenantId?: string;
        };
        readonly LoginResultView: {
            /** @description Signed JWT v2, for `Authorization: Bearer` */
            readonly accessToken: string;
            /** @description For /api/v2/auth/refresh; each token can be used once */
            readonly refreshToken: string;
            /** @description Whether the access token has no tenant: call select-tenant */
            readonly partial: boolean;
            /** @description Whether memberships, roles or scopes changed since the last full login */
            readonly stale: boolean;
        };
        readonly TenantChoice: {
            /** @description Slug or UUID of a tenant of the user */
            readonly tenantId: string;
        };
        readonly RefreshRequest: {
            /** @description The newest refresh token of the session */
            readonly refreshToken: string;
        };
        readonly MembershipView: {
            /** @description Name of the tenant in paths and tokens */
            readonly slug: string;
            /** @description Name of the tenant */
            readonly name: string;
            /** @description bytes32: keccak256 of the slug */
            readonly onChainTenantId: string;
            /** @description EIP-55 address of the tenant's newest contract */
            readonly tenantContractAddress: string | null;
        };
        readonly OrgView: {
            /** @description Organisation id */
            readonly id: string;
            /** @description Name */
            readonly name: string;
            /** @description Decentralised identifier */
            readonly did: string | null;
            /** @description Legal entity identifier, ISO 17442 */
            readonly lei: string | null;
            /** @description GS1 global location number */
            readonly gln: string | null;
            /**
             * @description Most far-reaching role of the user
             * @enum {string|null}
             */
            readonly role: "OPERATOR" | "ADMIN" | "AUDITOR" | "COMPLIANCE" | "TENANT_ADMIN" | null;
        };
        readonly IdentityView: {
            /** @description User id */
            readonly sub: string;
            /** @description E-mail address */
            readonly email: string;
            /** @description EIP-55 address of the user in this tenant */
            readonly wallet: string | null;
            /** @description did:pkh of the wallet */
            readonly did: string | null;
            /** @description Slug of the tenant; null for a token without one */
            readonly tid: string | null;
            /** @description UUID of the tenant */
            readonly tenantUuid: string | null;
            /** @description Roles in the tenant */
            readonly roles: readonly ("OPERATOR" | "ADMIN" | "AUDITOR" | "COMPLIANCE" | "TENANT_ADMIN")[];
            /** @description Process keys or globs by role; a role that is absent here covers every process */
            readonly roleScopes: {
                readonly [key: string]: unknown;
            };
            /** @description Whether name, organisation and wallet are set */
            readonly profileComplete: boolean;
            /** @description Whether the user administers the platform */
            readonly isPlatformAdmin: boolean;
            /** @description Tenants of the user */
            readonly memberships: readonly components["schemas"]["MembershipView"][];
            /** @description Name to show */
            readonly username: string;
            /** @description Organisations of the user in the tenant */
            readonly orgs: readonly components["schemas"]["OrgView"][];
            /** @description Organisation that the user acts for */
            readonly orgId: string | null;
            /** @description A wallet that an administrator proposed and you have not confirmed yet */
            readonly proposedWallet: string | null;
            /**
             * @description Of mails to you; null: nobody has chosen one
             * @enum {string|null}
             */
            readonly language: "en" | "de" | "fr" | "es" | "vi" | null;
            /** @description As in the login result */
            readonly stale: boolean;
        };
        readonly SiweRequest: {
            /** @description The signed EIP-4361 text, at most 4 KiB */
            readonly message: string;
            /** @description Signature of the wallet (EIP-191, or one that its contract accepts, EIP-1271): 0x and hex digits */
            readonly signature: string;
            /** @description Slug or UUID of the tenant to sign in to; needed to accept an invitation with this wallet */
            readonly tenantId?: string;
        };
        readonly SignedMessageBody: {
            /** @description The signed EIP-4361 text, at most 4 KiB */
            readonly message: string;
            /** @description Signature of the wallet (EIP-191, or one that its contract accepts, EIP-1271): 0x and hex digits */
            readonly signature: string;
        };
        readonly PasswordChange: {
            /**
             * Format: password
             * @description The current password
             */
            readonly currentPassword: string;
            /**
             * Format: password
             * @description The new password: 8 characters or more
             */
            readonly password: string;
        };
        readonly ForgottenPassword: {
            /** @description E-mail address of the user */
            readonly email: string;
        };
        readonly PasswordReset: {
            /** @description The token of the link */
            readonly token: string;
            /**
             * Format: password
             * @description The new password: 8 characters or more
             */
            readonly password: string;
        };
        readonly LanguageChoice: {
            /**
             * @description ISO 639-1
             * @enum {string}
             */
            readonly language: "en" | "de" | "fr" | "es" | "vi";
        };
        readonly SessionView: {
            /** @description Id of the session */
            readonly id: string;
            /** @description Whether it is the session of this request */
            readonly current: boolean;
            /**
             * @description How it was opened
             * @enum {string}
             */
            readonly openedBy: "password" | "wallet" | "passkey";
            /** @description EIP-55 address of the wallet that opened it */
            readonly wallet: string | null;
            /** @description Name of the tenant that it is in; null while none is chosen */
            readonly tenant: string | null;
            /**
             * @description Browser or program that opened it, as people call it
             * @example Firefox
             */
            readonly browser: string | null;
            /**
             * @description System of the device
             * @example Android
             */
            readonly system: string | null;
            /**
             * Format: date-time
             * @description When it was opened
             */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @description When its tokens were last renewed
             */
            readonly lastUsedAt: string;
        };
        readonly SessionsView: {
            /** @description Your sessions that have not ended, the one last used first */
            readonly data: readonly components["schemas"]["SessionView"][];
        };
        readonly PasskeyRegistrationRequest: {
            /**
             * Format: password
             * @description Your password, if you have one; without one you must have signed in within the last ten minutes
             */
            readonly password?: string;
        };
        readonly PasskeyOptionsView: {
            /** @description For `navigator.credentials` (WebAuthn JSON): `PublicKeyCredential.parse…OptionsFromJSON` */
            readonly publicKey: {
                readonly [key: string]: unknown;
            };
        };
        readonly PasskeyRegistration: {
            /** @description The credential that `navigator.credentials.create` returned, as JSON */
            readonly response: {
                readonly [key: string]: unknown;
            };
            /** @description What you call it, such as the device */
            readonly name: string;
        };
        readonly PasskeyAddedView: {
            /** @description Id of the credential, base64url */
            readonly id: string;
        };
        readonly PasskeyView: {
            /** @description Id of the credential, base64url */
            readonly id: string;
            /** @description What you call it */
            readonly name: string;
            /** @description Whether its maker keeps a copy, so that it survives the device */
            readonly backedUp: boolean;
            /**
             * Format: date-time
             * @description When it was added
             */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @description Last sign-in with it
             */
            readonly lastUsedAt: string | null;
        };
        readonly PasskeysView: {
            /** @description Your passkeys in this tenant, oldest first */
            readonly data: readonly components["schemas"]["PasskeyView"][];
        };
        readonly PasskeyAuthentication: {
            /** @description The credential that `navigator.credentials.get` returned, as JSON */
            readonly response: {
                readonly [key: string]: unknown;
            };
            /** @description Slug or UUID of the tenant; a passkey of another one is refused */
            readonly tenantId?: string;
        };
        readonly PasskeyInvitationOptions: {
            /** @description The token of the invitation */
            readonly token: string;
        };
        readonly PasskeyInvitation: {
            /** @description The credential that `navigator.credentials.create` returned, as JSON */
            readonly response: {
                readonly [key: string]: unknown;
            };
            /** @description What you call it, such as the device */
            readonly name: string;
            /** @description The token of the invitation */
            readonly token: string;
        };
        readonly RateView: {
            /** @description Requests a minute, for each principal */
            readonly perMinute: number;
        };
        readonly UsedView: {
            /** @description Used */
            readonly used: number;
            /** @description What the tier allows */
            readonly limit: number;
        };
        readonly PlacesView: {
            /** @description Sites */
            readonly sites: number;
            /** @description Wallets */
            readonly wallets: number;
        };
        readonly UsageView: {
            /** @description The tenant's tier */
            readonly tier: string;
            /**
             * Format: date
             * @description First day of the month in which events are counted, UTC
             */
            readonly month: string;
            /** @description Rate; the RateLimit headers of every answer say what is left */
            readonly requests: components["schemas"]["RateView"];
            /** @description Events prepared this month */
            readonly events: components["schemas"]["UsedView"];
            /** @description Bytes of content stored so far */
            readonly storedBytes: components["schemas"]["UsedView"];
            /** @description Valid API keys */
            readonly apiKeys: components["schemas"]["UsedView"];
            /** @description Webhook subscriptions */
            readonly subscriptions: components["schemas"]["UsedView"];
            /** @description Members, and who was invited and never accepted */
            readonly members: components["schemas"]["UsedView"];
            /** @description Organisations */
            readonly organisations: components["schemas"]["UsedView"];
            /** @description What each organisation may have */
            readonly eachOrganisation: components["schemas"]["PlacesView"];
        };
        readonly ApiKeyView: {
            /** @description Key id */
            readonly id: string;
            /** @description What it is for */
            readonly name: string;
            /** @description The start of its text, to recognise it by */
            readonly prefix: string;
            /** @description Roles */
            readonly roles: readonly ("OPERATOR" | "ADMIN" | "AUDITOR" | "COMPLIANCE" | "TENANT_ADMIN")[];
            /** @description Process keys or globs by role; a role that is absent covers every process */
            readonly roleScopes: {
                readonly [key: string]: unknown;
            };
            /** @description EIP-55 address */
            readonly wallet: string | null;
            /** @description Organisation */
            readonly orgId: string | null;
            /**
             * Format: date-time
             * @description Valid until
             */
            readonly expiresAt: string | null;
            /**
             * Format: date-time
             * @description Last use, to the minute
             */
            readonly lastUsedAt: string | null;
            /**
             * Format: date-time
             * @description Created at
             */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @description Revoked at
             */
            readonly revokedAt: string | null;
        };
        readonly ApiKeyPageView: {
            /** @description Exact up to 10,000 */
            readonly total: number;
            /** @description Page, from 1 */
            readonly page: number;
            /** @description Items per page */
            readonly limit: number;
            /** @description Present when there are more than 10,000 */
            readonly totalIsLowerBound?: boolean;
            /** @description Cursor of the next page; null on the last page, and in lists without cursors */
            readonly nextCursor: string | null;
            /** @description Items of the page */
            readonly data: readonly components["schemas"]["ApiKeyView"][];
        };
        readonly ApiKeyBody: {
            /** @description What it is for */
            readonly name: string;
            /** @description Roles of the key */
            readonly roles: readonly ("OPERATOR" | "ADMIN" | "AUDITOR" | "COMPLIANCE" | "TENANT_ADMIN")[];
            /** @description Process keys or globs by role (`{"OPERATOR": ["wool_*"]}`); a role that is absent covers every process, `[]` covers none. Never beyond your own */
            readonly roleScopes?: {
                readonly [key: string]: unknown;
            };
            /** @description EIP-55 address that the key prepares for */
            readonly wallet?: string | null;
            /** @description Organisation that the key acts for */
            readonly orgId?: string | null;
            /** @description ISO 8601; without it the key is valid until it is revoked */
            readonly expiresAt?: string | null;
        };
        readonly ApiKeySecretView: {
            /** @description Key id */
            readonly id: string;
            /** @description What it is for */
            readonly name: string;
            /** @description The start of its text, to recognise it by */
            readonly prefix: string;
            /** @description Roles */
            readonly roles: readonly ("OPERATOR" | "ADMIN" | "AUDITOR" | "COMPLIANCE" | "TENANT_ADMIN")[];
            /** @description Process keys or globs by role; a role that is absent covers every process */
            readonly roleScopes: {
                readonly [key: string]: unknown;
            };
            /** @description EIP-55 address */
            readonly wallet: string | null;
            /** @description Organisation */
            readonly orgId: string | null;
            /**
             * Format: date-time
             * @description Valid until
             */
            readonly expiresAt: string | null;
            /**
             * Format: date-time
             * @description Last use, to the minute
             */
            readonly lastUsedAt: string | null;
            /**
             * Format: date-time
             * @description Created at
             */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @description Revoked at
             */
            readonly revokedAt: string | null;
            /** @description For `X-API-Key`; shown once, so absent in a repeated answer */
            readonly secret?: string;
        };
        readonly RotateBody: {
            /**
             * @description Seconds that the old secret stays valid; 0 for a leaked secret
             * @default 0
             */
            readonly overlapSeconds?: number;
        };
        readonly OnChainView: {
            /** @description ADMIN, OPERATOR_ALL, OPERATOR, RECALLER, RETURNS */
            readonly roles: readonly string[];
            /** @description Process keys that OPERATOR may record (bytes32 ids for processes that no map has) */
            readonly processes: readonly string[];
            /** @description Whether the contract allows exactly what the service does */
            readonly agrees: boolean;
        };
        readonly MemberView: {
            /** @description User id */
            readonly id: string;
            /** @description E-mail address */
            readonly email: string;
            /** @description Name */
            readonly name: string;
            /** @description Roles */
            readonly roles: readonly ("OPERATOR" | "ADMIN" | "AUDITOR" | "COMPLIANCE" | "TENANT_ADMIN")[];
            /** @description Process keys or globs by role; a role that is absent covers every process */
            readonly roleScopes: {
                readonly [key: string]: unknown;
            };
            /** @description EIP-55 address */
            readonly wallet: string | null;
            /** @description A wallet that is proposed and not yet confirmed by the member */
            readonly proposedWallet: string | null;
            /** @description Organisation */
            readonly orgId: string | null;
            /** @description Name of the organisation */
            readonly orgName: string | null;
            /**
             * Format: date-time
             * @description Member since
             */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @description Removed at
             */
            readonly revokedAt: string | null;
            /** @description The wallet's rights in the contract, as far as the indexer has read the chain; null without wallet or contract */
            readonly onChain: components["schemas"]["OnChainView"] | null;
        };
        readonly MemberPageView: {
            /** @description Exact up to 10,000 */
            readonly total: number;
            /** @description Page, from 1 */
            readonly page: number;
            /** @description Items per page */
            readonly limit: number;
            /** @description Present when there are more than 10,000 */
            readonly totalIsLowerBound?: boolean;
            /** @description Cursor of the next page; null on the last page, and in lists without cursors */
            readonly nextCursor: string | null;
            /** @description Items of the page */
            readonly data: readonly components["schemas"]["MemberView"][];
        };
        readonly MemberBody: {
            /** @description E-mail address, to which the invitation is sent */
            readonly email: string;
            /** @description Name under which your tenant knows them */
            readonly name?: string;
            /** @description Roles in the tenant */
            readonly roles: readonly ("OPERATOR" | "ADMIN" | "AUDITOR" | "COMPLIANCE" | "TENANT_ADMIN")[];
            /** @description Process keys or globs by role (`{"OPERATOR": ["wool_*"]}`); a role that is absent covers every process, `[]` covers none */
            readonly roleScopes?: {
                readonly [key: string]: unknown;
            };
            /** @description EIP-55 address that you propose; the member confirms it */
            readonly wallet?: string | null;
            /** @description Organisation that they act for */
            readonly orgId?: string | null;
        };
        readonly MemberChange: {
            /** @description Roles in the tenant */
            readonly roles?: readonly ("OPERATOR" | "ADMIN" | "AUDITOR" | "COMPLIANCE" | "TENANT_ADMIN")[];
            /** @description Process keys or globs by role (`{"OPERATOR": ["wool_*"]}`); a role that is absent covers every process, `[]` covers none */
            readonly roleScopes?: {
                readonly [key: string]: unknown;
            };
            /** @description EIP-55 address that you propose, and the member confirms; null for none, at once */
            readonly wallet?: string | null;
            /** @description Organisation; null for none */
            readonly orgId?: string | null;
        };
        readonly GrantsBody: {
            /** @description EIP-55 address of yours that will sign; default: your wallet */
            readonly from?: string;
            /** @description User ids of members */
            readonly members: readonly string[];
        };
        readonly PreparedTxView: {
            /** @description The tenant's contract */
            readonly to: string;
            /** @description Calldata, hexadecimal */
            readonly data: string;
            /** @description Estimated gas of the call; of an account of passkeys with what the account takes itself */
            readonly gasEstimate: number;
            /** @description EIP-155 chain id */
            readonly chainId: number;
        };
        readonly HintsView: {
            /** @description Address of the signer */
            readonly from: string | null;
            /** @description Next nonce of the sender */
            readonly nonce: number | null;
            /** @description EIP-1559, wei */
            readonly maxFeePerGas: string | null;
            /** @description EIP-1559, wei */
            readonly maxPriorityFeePerGas: string | null;
            /**
             * Format: uuid
             * @description For POST /api/v1/tx/relay; only when the sender is an account of passkeys
             */
            readonly preparedId?: string;
        };
        readonly MemberCallView: {
            /** @description The unsigned transaction */
            readonly preparedTx: components["schemas"]["PreparedTxView"];
            /** @description Advice for the sender */
            readonly hints: components["schemas"]["HintsView"];
            /** @description What to look at before signing */
            readonly warnings: readonly string[];
            /** @description Method of the contract */
            readonly method: string;
        };
        readonly GrantsView: {
            /** @description In the order in which to send them; empty when chain and service agree */
            readonly preparedTxs: readonly components["schemas"]["MemberCallView"][];
        };
        readonly SenderBody: {
            /** @description EIP-55 address of yours that will sign; default: your wallet */
            readonly from?: string;
        };
        readonly ReplacementBody: {
            /** @description EIP-55 address of yours that will sign; default: your wallet */
            readonly from?: string;
            /** @description EIP-55 address of the new wallet */
            readonly wallet: string;
        };
        readonly ReplacementView: {
            /** @description In the order in which to send them; empty when chain and service agree */
            readonly preparedTxs: readonly components["schemas"]["MemberCallView"][];
            /** @description For the new wallet, seven days after the proposal */
            readonly acceptance: components["schemas"]["MemberCallView"];
        };
        readonly OrganisationAccountBody: {
            /** @description User ids of members of the organisation, each with a passkey */
            readonly owners: readonly string[];
        };
        readonly AccountKeyView: {
            /** @description Name of the key in calls and logs of the account: 0x and 64 hex digits */
            readonly keyId: string;
            /** @description The passkey; null when it is deleted */
            readonly passkeyId: string | null;
            /** @description Its name */
            readonly name: string | null;
            /** @description Whose it is */
            readonly userId: string | null;
            /** @description Whether it signs for the account now */
            readonly signs: boolean;
            /**
             * Format: date-time
             * @description When another owner may remove it; null when nobody has proposed it
             */
            readonly removableAt: string | null;
        };
        readonly AccountDeploymentView: {
            /** @description The factory, EIP-55 */
            readonly to: string;
            /** @description Calldata; anybody may send it, and a second time changes nothing */
            readonly data: string;
        };
        readonly ReplacementAccountView: {
            /** @description EIP-55 address */
            readonly address: string;
            /** @description What deploys it */
            readonly deployment: components["schemas"]["AccountDeploymentView"];
        };
        readonly PasskeyAccountView: {
            /** @description EIP-55 address; known before the account is deployed */
            readonly address: string;
            /** @description Whether it has code on the chain */
            readonly deployed: boolean;
            /** @description Whether an owner is removed by another one after seven days only */
            readonly guarded: boolean;
            /** @description How many keys sign; more than are listed when the passkey of one was deleted */
            readonly keyCount: number;
            /** @description Keys that sign, or may be made to sign */
            readonly keys: readonly components["schemas"]["AccountKeyView"][];
            /** @description What deploys the account */
            readonly deployment: components["schemas"]["AccountDeploymentView"];
            /** @description The account that a recovery moves the wallet to */
            readonly replacement: components["schemas"]["ReplacementAccountView"] | null;
        };
        readonly OwnerChangeBody: {
            /** @description User id of a member of the organisation */
            readonly userId: string;
            /**
             * @description Another owner is removed seven days after the proposal, if no owner has vetoed it; one removes oneself at once
             * @enum {string}
             */
            readonly change: "add" | "propose_removal" | "veto_removal" | "remove";
        };
        readonly AccountCallView: {
            /** @description The account itself, EIP-55 */
            readonly to: string;
            /** @description Calldata */
            readonly data: string;
            /**
             * Format: uuid
             * @description For POST /api/v1/tx/relay
             */
            readonly preparedId: string | null;
        };
        readonly AccountCallsView: {
            /** @description One batch of the account, which one of its passkeys signs */
            readonly calls: readonly components["schemas"]["AccountCallView"][];
        };
        readonly SignedByView: {
            /** @description The unsigned transaction */
            readonly preparedTx: components["schemas"]["PreparedTxView"];
            /** @description Advice for the sender */
            readonly hints: components["schemas"]["HintsView"];
            /** @description What to look at before signing */
            readonly warnings: readonly string[];
            /** @description Method of the contract */
            readonly method: string;
            /** @description Who signs it: the account of the organisation, or an administrator; null for an unknown one */
            readonly signer: string | null;
        };
        readonly ApprovalsView: {
            /** @description Empty when the contract agrees. The calls of one signer are one batch */
            readonly preparedTxs: readonly components["schemas"]["SignedByView"][];
        };
        readonly MemberRemovalBody: {
            /** @description EIP-55 address of yours that will sign; default: your wallet */
            readonly from?: string;
            /** @description User id of the member */
            readonly userId: string;
        };
        readonly SiteView: {
            /** @description Site id */
            readonly id: string;
            /** @description Name */
            readonly name: string;
            /** @description GS1 global location number */
            readonly gln: string | null;
            /** @description Location as given */
            readonly location: {
                readonly [key: string]: unknown;
            } | null;
        };
        readonly OrgWalletView: {
            /** @description EIP-55 address */
            readonly address: string;
            /** @description Site */
            readonly siteId: string | null;
            /** @description User */
            readonly userId: string | null;
            /** @description Name in the address book */
            readonly label: string | null;
        };
        readonly OrganisationView: {
            /** @description Organisation id */
            readonly id: string;
            /** @description Name */
            readonly name: string;
            /** @description DID */
            readonly did: string | null;
            /** @description LEI */
            readonly lei: string | null;
            /** @description GLN */
            readonly gln: string | null;
            /** @description What passports may show */
            readonly publicProfile: {
                readonly [key: string]: unknown;
            };
            /** @description Sites */
            readonly sites: readonly components["schemas"]["SiteView"][];
            /** @description Wallets */
            readonly wallets: readonly components["schemas"]["OrgWalletView"][];
            /**
             * Format: date-time
             * @description Created at
             */
            readonly createdAt: string;
        };
        readonly OrganisationPageView: {
            /** @description Exact up to 10,000 */
            readonly total: number;
            /** @description Page, from 1 */
            readonly page: number;
            /** @description Items per page */
            readonly limit: number;
            /** @description Present when there are more than 10,000 */
            readonly totalIsLowerBound?: boolean;
            /** @description Cursor of the next page; null on the last page, and in lists without cursors */
            readonly nextCursor: string | null;
            /** @description Items of the page */
            readonly data: readonly components["schemas"]["OrganisationView"][];
        };
        readonly OrganisationBody: {
            /** @description Name, unique in the tenant */
            readonly name: string;
            /** @description `did:web:…` */
            readonly did?: string | null;
            /** @description ISO 17442, with its check digits */
            readonly lei?: string | null;
            /** @description GS1 global location number, with its check digit */
            readonly gln?: string | null;
            /** @description What passports may show */
            readonly publicProfile?: {
                readonly [key: string]: unknown;
            };
        };
        readonly OrganisationChange: {
            /** @description Name */
            readonly name?: string;
            /** @description `did:web:…`; null for none */
            readonly did?: string | null;
            /** @description ISO 17442; null for none */
            readonly lei?: string | null;
            /** @description GS1 global location number; null for none */
            readonly gln?: string | null;
            /** @description What passports may show; replaces the whole profile */
            readonly publicProfile?: {
                readonly [key: string]: unknown;
            };
        };
        readonly SiteBody: {
            /** @description Name */
            readonly name: string;
            /** @description GS1 global location number */
            readonly gln?: string | null;
            /** @description GeoJSON point or plot (longitude, latitude), or parts of an address with such a shape as `geo` */
            readonly location?: {
                readonly [key: string]: unknown;
            } | null;
        };
        readonly OrgWalletBody: {
            /** @description EIP-55 address */
            readonly address: string;
            /** @description Site that the wallet belongs to */
            readonly siteId?: string | null;
            /** @description Name in the address book */
            readonly label?: string | null;
        };
        readonly AccountKeyBody: {
            /** @description A passkey of yours in this tenant */
            readonly passkeyId: string;
        };
        readonly KeyIdBody: {
            /** @description Name of the key in calls and logs of the account: 0x and 64 hex digits */
            readonly keyId: string;
        };
        readonly TenantView: {
            /** @description Slug */
            readonly tenantId: string;
            /** @description UUID */
            readonly tenantUuid: string;
            /** @description Name */
            readonly name: string;
            /**
             * @description Environment
             * @enum {string}
             */
            readonly environment: "sandbox" | "production";
            /** @description Tier */
            readonly tier: string;
            /**
             * @description Members and keys of a suspended tenant are refused
             * @enum {string}
             */
            readonly status: "active" | "suspended";
            /** @description bytes32: keccak256 of the slug */
            readonly onChainTenantId: string;
            /** @description Contract; null until its creation is on chain */
            readonly contract: string | null;
            /** @description Version of the contract */
            readonly contractVersion: number | null;
            /**
             * Format: date-time
             * @description Created at
             */
            readonly createdAt: string;
        };
        readonly TenantPageView: {
            /** @description Exact up to 10,000 */
            readonly total: number;
            /** @description Page, from 1 */
            readonly page: number;
            /** @description Items per page */
            readonly limit: number;
            /** @description Present when there are more than 10,000 */
            readonly totalIsLowerBound?: boolean;
            /** @description Cursor of the next page; null on the last page, and in lists without cursors */
            readonly nextCursor: string | null;
            /** @description Items of the page */
            readonly data: readonly components["schemas"]["TenantView"][];
        };
        readonly FirstAdminBody: {
            /** @description E-mail address of the first TENANT_ADMIN */
            readonly email: string;
            /** @description Name of a new user */
            readonly name?: string;
            /**
             * Format: password
             * @description Password of a new user; without it they get a one-time link
             */
            readonly password?: string;
            /** @description EIP-55 address; ADMIN of the tenant's contract */
            readonly wallet: string;
        };
        readonly TenantBody: {
            /** @description Name in paths and tokens; it never changes */
            readonly slug: string;
            /** @description Name */
            readonly name: string;
            /**
             * @description Environment
             * @default production
             * @enum {string}
             */
            readonly environment?: "sandbox" | "production";
            /** @description Tier of rates and quotas */
            readonly tier?: string;
            /** @description First administrator */
            readonly admin: components["schemas"]["FirstAdminBody"];
            /** @description EIP-55 address of the registry's owner, who signs */
            readonly from?: string;
        };
        readonly InvitationView: {
            /** @description For POST /api/v2/auth/invitations/accept; shown once, so absent in a repeated answer */
            readonly token?: string;
            /**
             * Format: date-time
             * @description Valid until
             */
            readonly expiresAt: string;
        };
        readonly OpenedAdminView: {
            /** @description User id */
            readonly id: string;
            /** @description One-time link for a user without a password */
            readonly invitation: components["schemas"]["InvitationView"] | null;
        };
        readonly OpenedTenantView: {
            /** @description Creates the tenant's contract; for the registry's owner to sign */
            readonly preparedTx: components["schemas"]["PreparedTxView"];
            /** @description Suggested nonce and fees */
            readonly hints: components["schemas"]["HintsView"];
            /** @description What to know before signing */
            readonly warnings: readonly string[];
            /** @description The tenant */
            readonly tenant: components["schemas"]["TenantView"];
            /** @description Its first administrator */
            readonly admin: components["schemas"]["OpenedAdminView"];
        };
        readonly ContractBody: {
            /** @description EIP-55 address of the first ADMIN */
            readonly wallet: string;
            /** @description EIP-55 address of the registry's owner, who signs */
            readonly from?: string;
        };
        readonly ContractPreparedView: {
            /** @description Creates the tenant's contract; for the registry's owner to sign */
            readonly preparedTx: components["schemas"]["PreparedTxView"];
            /** @description Suggested nonce and fees */
            readonly hints: components["schemas"]["HintsView"];
            /** @description What to know before signing */
            readonly warnings: readonly string[];
        };
        readonly SuspendBody: {
            /** @description Reason, for the tenant's audit log */
            readonly reason?: string;
        };
        readonly TierBody: {
            /** @description Tier of rates and quotas */
            readonly tier: string;
        };
        readonly AuditView: {
            /** @description Entry id */
            readonly id: string;
            /**
             * Format: date-time
             * @description When
             */
            readonly at: string;
            /**
             * @description What happened
             * @enum {string}
             */
            readonly action: "login.succeeded" | "login.failed" | "tenant.selected" | "logout" | "session.revoked" | "password.changed" | "password.link_requested" | "invitation.accepted" | "passkey.added" | "passkey.removed" | "passkey.clone_suspected" | "member.added" | "member.changed" | "member.removed" | "member.wallet_confirmed" | "member.grants_prepared" | "member.wallet_replacement_prepared" | "member.recovery_started" | "account.key_prepared" | "organisation.owner_prepared" | "organisation.created" | "organisation.changed" | "api_key.created" | "api_key.rotated" | "api_key.revoked" | "webhook.created" | "webhook.changed" | "webhook.secret_rotated" | "webhook.resumed" | "webhook.deleted" | "process_map.published" | "tenant.created" | "tenant.suspended" | "tenant.tier_changed" | "link.created" | "link.changed" | "link.deleted" | "passport.evidence_shared" | "passports.registry_changed" | "passports.registry_removed" | "passports.registrations_settled" | "passport.grant_created" | "passport.grant_used" | "passport.grant_withdrawn" | "passport.reinstated" | "passport.withdrawn" | "passports.changed" | "rules.changed" | "values.erased" | "privacy.searched" | "privacy.exported" | "document.deleted" | "epcis_event.deleted" | "tenant.resumed" | "sponsorship.changed";
            /**
             * @description Kind of actor
             * @enum {string}
             */
            readonly actorKind: "user" | "api_key" | "platform" | "operator" | "grant";
            /** @description Who did it */
            readonly actorId: string | null;
            /** @description Id of the changed object */
            readonly subject: string | null;
            /** @description Details; never a secret */
            readonly details: {
                readonly [key: string]: unknown;
            };
        };
        readonly AuditPageView: {
            /** @description Exact up to 10,000 */
            readonly total: number;
            /** @description Page, from 1 */
            readonly page: number;
            /** @description Items per page */
            readonly limit: number;
            /** @description Present when there are more than 10,000 */
            readonly totalIsLowerBound?: boolean;
            /** @description Cursor of the next page; null on the last page, and in lists without cursors */
            readonly nextCursor: string | null;
            /** @description Items of the page */
            readonly data: readonly components["schemas"]["AuditView"][];
        };
        readonly InvitationBody: {
            /** @description Token of the one-time link */
            readonly token: string;
            /**
             * Format: password
             * @description The new password
             */
            readonly password: string;
        };
        readonly DocumentBody: {
            /**
             * Format: binary
             * @description The file, of at most 25 MiB
             */
            readonly file: string;
            /**
             * @description public: every member of the tenant reads it; otherwise its organisation, AUDITOR, COMPLIANCE and TENANT_ADMIN
             * @default restricted
             * @enum {string}
             */
            readonly visibility?: "public" | "restricted" | "authority";
            /** @description Type of the document, such as BILL_OF_LADING */
            readonly type?: string;
            /** @description Its number */
            readonly number?: string;
        };
        readonly StoredDocumentView: {
            /**
             * Format: uuid
             * @description The document
             */
            readonly id: string;
            /** @description Name of the file, as it was uploaded */
            readonly name: string;
            /** @description By its content */
            readonly mediaType: string;
            /** @description Bytes */
            readonly size: number;
            /** @description SHA-256 of the bytes, hexadecimal */
            readonly sha256: string;
            /**
             * @description Who may read it
             * @enum {string}
             */
            readonly visibility: "public" | "restricted" | "authority";
            /** @description Type */
            readonly type: string | null;
            /** @description Number */
            readonly number: string | null;
            /**
             * Format: uuid
             * @description Organisation that uploaded it
             */
            readonly orgId: string | null;
            /** @description User or API key */
            readonly uploadedBy: string;
            /**
             * Format: date-time
             * @description When
             */
            readonly uploadedAt: string;
            /** @description Whether a virus scanner has examined it */
            readonly scanned: boolean;
            /** @description The line for `documents[]` of an event: `{ type, number, sha256, mediaType, visibility }`, as far as known */
            readonly reference: {
                readonly [key: string]: unknown;
            };
        };
        readonly StoredDocumentPageView: {
            /** @description Exact up to 10,000 */
            readonly total: number;
            /** @description Page, from 1 */
            readonly page: number;
            /** @description Items per page */
            readonly limit: number;
            /** @description Present when there are more than 10,000 */
            readonly totalIsLowerBound?: boolean;
            /** @description Cursor of the next page; null on the last page, and in lists without cursors */
            readonly nextCursor: string | null;
            /** @description Newest first */
            readonly data: readonly components["schemas"]["StoredDocumentView"][];
        };
        readonly PartQuantityBody: {
            /** @description How much, at most six decimals */
            readonly value: number;
            /** @description UNECE code of a unit that converts to the lot’s own */
            readonly uom: string;
        };
        readonly HandedOverLot: {
            /** @description The lot */
            readonly tokenId: number | string;
            /** @description A part of the lot: offered, it becomes a lot of its own with the same code; accepted, the rest becomes one and goes back. All of the lot when absent */
            readonly quantity?: components["schemas"]["PartQuantityBody"];
        };
        readonly CustodyPrepareBody: {
            /**
             * @description What to do with the lots; `offer` when absent
             * @enum {string}
             */
            readonly action?: "offer" | "accept" | "reject" | "cancel";
            /** @description The lots; a container moves its contents */
            readonly tokenIds?: readonly (number | string)[];
            /** @description One lot, instead of `tokenIds` */
            readonly tokenId?: number | string;
            /** @description Lots or parts of them, instead of `tokenIds`; to reject or to cancel concerns lots whole */
            readonly lots?: readonly components["schemas"]["HandedOverLot"][];
            /**
             * @description Why less is accepted than was offered
             * @enum {string}
             */
            readonly reason?: "shortage" | "damage" | "refused";
            /** @description EIP-55 address of the receiver, for an offer */
            readonly to?: string;
            /** @description Process of kind `transfer`: records its event in the same transaction */
            readonly processType?: string;
            /** @description Metadata of the event, or a note that is stored and whose hash goes on chain. Of a note, `handedOverAt` (ISO 8601 with an offset) and `location` say when and where the goods changed hands */
            readonly metadata?: {
                readonly [key: string]: unknown;
            };
            /** @description EIP-55 address that will sign; your wallet when absent */
            readonly from?: string;
        };
        readonly PreparedCustodyView: {
            /** @description The unsigned transaction */
            readonly preparedTx: components["schemas"]["PreparedTxView"];
            /** @description Advice for the sender */
            readonly hints: components["schemas"]["HintsView"];
            /** @description What to look at before signing */
            readonly warnings: readonly string[];
            /** @description `{ action, method, args, processType? }`: the prepared call */
            readonly metadata: {
                readonly [key: string]: unknown;
            };
            /** @description The transfers that are answered; an offer has none before it has landed */
            readonly transferIds?: readonly string[];
            /** @description The event that the call records */
            readonly eventId?: string;
            /** @description CID of the stored metadata */
            readonly ipfsCid?: string;
            /** @description SHA-256 of the stored metadata, to which the call commits */
            readonly dataHash?: string;
        };
        readonly TransferView: {
            /**
             * Format: date-time
             * @description Block time of the acceptance or direct move; otherwise of the end of the offer, or of the offer
             */
            readonly timestamp: string;
            /** @description EIP-55 address */
            readonly from: string;
            /** @description EIP-55 address */
            readonly to: string;
            /** @description Transaction at `timestamp` */
            readonly txHash: string;
            /** @description `<tokenId>-<offerNo>`, or a UUID for a direct move */
            readonly transferId: string;
            /** @description The lot */
            readonly tokenId: number;
            /** @description Its traceability lot code, or the hash of it while the text is unknown */
            readonly tlc: string | null;
            /** @description Label of `from` */
            readonly fromLabel: string;
            /** @description Label of `to` */
            readonly toLabel: string;
            /** @description Key of its product in the process map; null while unknown */
            readonly assetType: string | null;
            /** @description Name of its product */
            readonly assetTypeName: string | null;
            /** @description What is left of the lot now, in `uom`; null = unmeasured */
            readonly remainingQuantity: number | null;
            /** @description UNECE code of the unit */
            readonly uom: string | null;
            /**
             * Format: date-time
             * @description When the lot expires
             */
            readonly expiresAt: string | null;
            /**
             * @description State of the transfer
             * @enum {string}
             */
            readonly status: "pending" | "accepted" | "rejected" | "cancelled" | "direct";
            /**
             * Format: date-time
             * @description Block time of the offer; null for a direct move
             */
            readonly offeredAt: string | null;
            /**
             * Format: date-time
             * @description Block time of the acceptance or direct move
             */
            readonly acceptedAt: string | null;
            /**
             * Format: date-time
             * @description When the goods changed hands, as the note of the acceptance says, otherwise that of the offer
             */
            readonly handedOverAt: string | null;
            /** @description Of `handedOverAt`, as it was written: `±hh:mm`; null for UTC */
            readonly handedOverTimeZoneOffset: string | null;
            /** @description Where they did, as the note says; for its two companies and who reads all of the tenant */
            readonly location: {
                readonly [key: string]: unknown;
            } | null;
            /** @description The container it moved in */
            readonly viaContainerTokenId: number | null;
            /** @description The event recorded with the acceptance, otherwise with the offer */
            readonly eventId: string | null;
            /**
             * @description Of a part of an offered lot that the receiver did not take: why; the part is a lot of its own, and the transfer rejected
             * @enum {string|null}
             */
            readonly reason: "shortage" | "damage" | "refused" | null;
            /** @description Block at `timestamp` */
            readonly blockNumber: number;
        };
        readonly TransferPageView: {
            /** @description Exact up to 10,000 */
            readonly total: number;
            /** @description Page, from 1 */
            readonly page: number;
            /** @description Items per page */
            readonly limit: number;
            /** @description Present when there are more than 10,000 */
            readonly totalIsLowerBound?: boolean;
            /** @description Cursor of the next page; null on the last page, and in lists without cursors */
            readonly nextCursor: string | null;
            /** @description Transfers, newest first */
            readonly data: readonly components["schemas"]["TransferView"][];
        };
        readonly CustodyRecordView: {
            /** @description `<tokenId>-<offerNo>`, or a UUID for a direct move; null for the mint */
            readonly transferId: string | null;
            /** @description The lot */
            readonly tokenId: number;
            /** @description Its traceability lot code, or the hash of it while the text is unknown */
            readonly tlc: string;
            /**
             * @description `mint` is the first entry of the history
             * @enum {string}
             */
            readonly status: "mint" | "pending" | "accepted" | "rejected" | "cancelled" | "direct";
            /** @description EIP-55 address; the zero address for the mint */
            readonly from: string;
            /** @description EIP-55 address */
            readonly to: string;
            /** @description Label of `from`; null for the mint */
            readonly fromLabel: string | null;
            /** @description Label of `to` */
            readonly toLabel: string;
            /**
             * Format: date-time
             * @description Block time of the offer
             */
            readonly offeredAt: string | null;
            /**
             * Format: date-time
             * @description Block time of the acceptance, direct move or mint
             */
            readonly acceptedAt: string | null;
            /**
             * Format: date-time
             * @description Block time of the rejection or cancellation
             */
            readonly closedAt: string | null;
            /**
             * Format: date-time
             * @description Block time of the acceptance; otherwise of the end of the offer, or of the offer
             */
            readonly timestamp: string;
            /**
             * Format: date-time
             * @description When the goods changed hands, as the note of the acceptance says, otherwise that of the offer
             */
            readonly handedOverAt: string | null;
            /** @description Of `handedOverAt`, as it was written: `±hh:mm`; null for UTC */
            readonly handedOverTimeZoneOffset: string | null;
            /** @description From the offer to its end; null while it is open */
            readonly durationSeconds: number | null;
            /** @description The container it moved in */
            readonly viaContainerTokenId: number | null;
            /** @description Where the goods changed hands, as the note says, otherwise where the attached event happened; if the caller may read it */
            readonly location: {
                readonly [key: string]: unknown;
            } | null;
            /** @description Documents of the attached event, if the caller may read them */
            readonly documents: readonly Record<string, unknown>[];
            /** @description The event recorded with the acceptance, otherwise with the offer; for the mint, the event that created the lot */
            readonly eventId: string | null;
            /** @description Transaction of the offer, direct move or mint */
            readonly txHash: string;
            /** @description Transaction of the acceptance */
            readonly acceptTxHash: string | null;
            /**
             * @description Of a part of an offered lot that the receiver did not take: why; the part is a lot of its own, and the transfer rejected
             * @enum {string|null}
             */
            readonly reason: "shortage" | "damage" | "refused" | null;
            /** @description Block at `timestamp` */
            readonly blockNumber: number;
        };
        readonly CustodyHistoryView: {
            /** @description Exact up to 10,000 */
            readonly total: number;
            /** @description Page, from 1 */
            readonly page: number;
            /** @description Items per page */
            readonly limit: number;
            /** @description Present when there are more than 10,000 */
            readonly totalIsLowerBound?: boolean;
            /** @description Oldest first, starting with the mint */
            readonly data: readonly components["schemas"]["CustodyRecordView"][];
        };
        readonly RetirementBody: {
            /**
             * @description Why it leaves; a recalled lot as disposed, destroyed, lost or sampled only
             * @enum {string}
             */
            readonly reason: "sold" | "disposed" | "destroyed" | "lost" | "sampled" | "exported" | "migrated";
            /** @description A part of the lot; all that remains when absent */
            readonly quantity?: components["schemas"]["PartQuantityBody"];
            /** @description A note that is stored and whose hash goes on chain */
            readonly metadata?: {
                readonly [key: string]: unknown;
            };
            /** @description EIP-55 address that will sign; your wallet when absent */
            readonly from?: string;
        };
        readonly PreparedRetirementView: {
            /** @description The unsigned transaction */
            readonly preparedTx: components["schemas"]["PreparedTxView"];
            /** @description Advice for the sender */
            readonly hints: components["schemas"]["HintsView"];
            /** @description What to look at before signing */
            readonly warnings: readonly string[];
            /** @description `{ method, args, reason }`: the prepared call */
            readonly metadata: {
                readonly [key: string]: unknown;
            };
            /** @description CID of the stored note */
            readonly ipfsCid?: string;
        };
        readonly AffectedLotView: {
            /**
             * Format: uuid
             * @description UUID derived from chain, contract and token id
             */
            readonly id: string;
            /** @description Id of the lot on chain */
            readonly tokenId: number;
            /** @description The tenant's slug */
            readonly tenantId: string;
            /** @description Traceability lot code; its keccak256 hash while the text is unknown (`resolved` false) */
            readonly tlc: string;
            /** @description Key in the process map; null while unknown */
            readonly assetType: string | null;
            /** @description The asset type's name */
            readonly assetTypeName: string | null;
            /** @description The process map that it was made by */
            readonly processMapName: string | null;
            /**
             * @description The first that holds of: retired, recalled, consumed, in_transit, aggregated, on_hold, expired, active
             * @enum {string}
             */
            readonly status: "retired" | "recalled" | "consumed" | "in_transit" | "aggregated" | "on_hold" | "expired" | "active";
            /** @description EIP-55 address; of a contained lot its outermost container’s custodian */
            readonly custodian: string;
            /** @description Name of the party with this address, or the address shortened */
            readonly custodianLabel: string;
            /**
             * @description What kind of label it is
             * @enum {string}
             */
            readonly custodianLabelKind: "organization" | "facility" | "user" | "partner" | "contract" | "address";
            /** @description CID of the mint event’s stored content */
            readonly metadataCid: string;
            /** @description The mint event’s metadata, as far as the caller may read it */
            readonly metadata: {
                readonly [key: string]: unknown;
            } | null;
            /** @description Transaction of the mint; of a part, of the split */
            readonly txHash: string;
            /** @description Block of the mint */
            readonly blockNumber: number;
            /** @description sha2-256 of the mint event’s stored content, as recorded on chain */
            readonly dataHash: string;
            /**
             * Format: date-time
             * @description When it expires
             */
            readonly expiresAt: string | null;
            /** @description EIP-55 address it is offered to */
            readonly pendingCustodian: string | null;
            /**
             * Format: uuid
             * @description The event that made it, or the lot that it is a part of
             */
            readonly mintEventId: string;
            /** @description Landed events that name it, voided ones included */
            readonly eventCount: number;
            /**
             * Format: date-time
             * @description Block time of the mint; of a part, of the lot that it was split from
             */
            readonly createdAt: string;
            /** @description What was made, or split off, in `uom`; a decimal string beyond 2^53 millionths; null = unmeasured */
            readonly quantity: number | null;
            /** @description What is left, or what was there when it was retired */
            readonly remainingQuantity: number | null;
            /** @description UNECE Recommendation 20 or 21 code */
            readonly uom: string | null;
            /** @description GTIN, 14 digits: the one that its event states, else that of its asset type */
            readonly gtin: string | null;
            /** @description Serial number of a single item */
            readonly serial: string | null;
            /** @description Its identity: a GS1 Digital Link (GTIN and lot, GTIN and serial, SSCC), or a code of your own */
            readonly key: string;
            /** @description GS1 Digital Link; null for a code of your own */
            readonly digitalLink: string | null;
            /** @description Of a part: the lot that it was split from; both have one code */
            readonly splitFrom: number | null;
            /** @description The container it is in */
            readonly containerTokenId: number | null;
            /** @description Version of the process map */
            readonly processMapVersion: string | null;
            /** @description Recalled itself */
            readonly recalled: boolean;
            /** @description Made from something recalled, or packed in a recalled container */
            readonly recallAffected: boolean;
            /** @description A container around something that was recalled inside it */
            readonly holdsRecalled: boolean;
            /** @description Stopped by a recall or by quality control */
            readonly onHold: boolean;
            /** @description Past its `expiresAt` */
            readonly expired: boolean;
            /** @description In a container */
            readonly contained: boolean;
            /** @description A container itself */
            readonly isContainer: boolean;
            /** @description sold, disposed, destroyed, lost, sampled, voided, exported, unpacked or migrated */
            readonly retireReason: string | null;
            /** @description Whether the texts of its hashes are known */
            readonly resolved: boolean;
            /** @description Whether what is shown is final on chain */
            readonly confirmed: boolean;
            /**
             * @description `part`: the same goods as the recalled lot, one split from the other; `transformed`: made from it; `contained`: packed in the recalled container. The first of them where several roads lead to the lot. A part of a lot has the relation of that lot
             * @enum {string}
             */
            readonly relation: "part" | "transformed" | "contained";
            /** @description Shortest distance from the recalled lot */
            readonly depth: number;
            /** @description Part of the mass of the recalled lot that went into it; null where a mass is unknown */
            readonly share: number | null;
        };
        readonly ContainerView: {
            /** @description The container */
            readonly tokenId: number;
            /** @description Its traceability lot code */
            readonly tlc: string;
            /** @description Shortest distance from the recalled lot */
            readonly depth: number;
            /** @description Its status */
            readonly status: string;
            /** @description EIP-55 address of its custodian */
            readonly custodian: string;
        };
        readonly AffectedActorView: {
            /** @description EIP-55 address */
            readonly address: string;
            /** @description `did:pkh` of the address */
            readonly did: string;
            /** @description Label of the address */
            readonly label: string;
            /** @description Kind of the label; `address`: nobody is known */
            readonly labelKind: string;
            /** @description `custodian` now, `pending`, or `past` */
            readonly roles: readonly string[];
            /** @description Lots it holds or held, the first 100 */
            readonly tokenIds: readonly (number | string)[];
        };
        readonly UnitsView: {
            /** @description Key in the process map */
            readonly assetType: string | null;
            /** @description The asset type's name */
            readonly assetTypeName: string | null;
            /** @description Lots of it */
            readonly lots: number;
            /** @description Units of it in the market or in stock */
            readonly units: number;
        };
        readonly RecallImpactView: {
            /** @description Affected lots, by depth, then token id */
            readonly descendants: readonly components["schemas"]["AffectedLotView"][];
            /** @description EIP-55 addresses, sorted: current, pending and past custodians of the recalled and the affected lots */
            readonly affectedActors: readonly string[];
            /** @description Consumer units in the recalled and the affected lots; null where these are not all here: `unitsByAssetType` has those of this answer */
            readonly estimatedUnits: number | null;
            /** @description Containers that only hold an affected lot */
            readonly containers: readonly components["schemas"]["ContainerView"][];
            /** @description The actors with the lots they hold or held */
            readonly actors: readonly components["schemas"]["AffectedActorView"][];
            /** @description Units by asset type */
            readonly unitsByAssetType: readonly components["schemas"]["UnitsView"][];
            /** @description Remaining in stock and in the market, by UNECE code of the unit */
            readonly quantities: {
                readonly [key: string]: unknown;
            };
            /** @description ISO 3166-1 countries where the lots were made */
            readonly countries: readonly string[];
            /** @description `total`, `lots[]` and `unmeasured[]`: producedKg, usedKg, onHandKg, retiredKg, lossKg, unaccountedKg, accountedPercent of each. The total counts mass once (what was used is in the lots made of it) and is null where the lots are not all here */
            readonly reconciliation: {
                readonly [key: string]: unknown;
            };
            /** @description Whether the walk stopped at a bound: then all of the above covers only a part */
            readonly truncated: boolean;
            /**
             * @description The bound it stopped at
             * @enum {string|null}
             */
            readonly truncatedBy: "maxDepth" | "maxNodes" | null;
            /** @description Lots that lead to more */
            readonly frontier: readonly (number | string)[];
            /** @description Continues exactly where it stopped, with `cursor` */
            readonly nextCursor: string | null;
            /** @description Lots for which holders have answered to the open recalls of this lot */
            readonly acknowledgedCount: number;
            /** @description `{ block }`: the last block that is included */
            readonly asOf: {
                readonly [key: string]: unknown;
            };
            /** @description Duration in milliseconds */
            readonly elapsedMs: number;
        };
        readonly RecallPrepareBody: {
            /** @description Why; stored by content, its hash goes on chain */
            readonly reason: string;
            /**
             * @description Class of the recall (21 CFR 7.3(m)), or what it is instead
             * @enum {string}
             */
            readonly recallClass?: "I" | "II" | "III" | "withdrawal" | "unclassified";
            /**
             * @description How far down the chain goods are taken back (21 CFR 7.42(b))
             * @enum {string}
             */
            readonly depth?: "consumer" | "retail" | "wholesale";
            /**
             * @description What happens to affected lots: nothing, a flag (default), an off-chain hold, or a recall of each live one on chain
             * @enum {string}
             */
            readonly propagation?: "none" | "flag" | "hold" | "recall";
            /** @description Number of the recall elsewhere */
            readonly reference?: string;
            /** @description What holders are to do */
            readonly instructions?: string;
            /** @description EIP-55 address that will sign; your wallet when absent */
            readonly from?: string;
        };
        readonly PreparedRecallView: {
            /** @description The unsigned transaction */
            readonly preparedTx: components["schemas"]["PreparedTxView"];
            /** @description Advice for the sender */
            readonly hints: components["schemas"]["HintsView"];
            /** @description What to look at before signing */
            readonly warnings: readonly string[];
            /** @description All transactions, when one cannot take every lot; the first is `preparedTx` */
            readonly preparedTxs?: readonly components["schemas"]["PreparedTxView"][];
            /** @description `{ method, tokenIds, ipfsCid, … }`: what was prepared */
            readonly metadata: {
                readonly [key: string]: unknown;
            };
            /** @description CID of the notice */
            readonly ipfsCid: string;
        };
        readonly LiftPrepareBody: {
            /** @description Why it is taken back */
            readonly reason: string;
            /**
             * @description The lot alone (default), or every lot that was flagged together with it
             * @enum {string}
             */
            readonly scope?: "lot" | "recall";
            /** @description EIP-55 address that will sign; your wallet when absent */
            readonly from?: string;
        };
        readonly PreparedLiftView: {
            /** @description The unsigned transaction */
            readonly preparedTx: components["schemas"]["PreparedTxView"];
            /** @description Advice for the sender */
            readonly hints: components["schemas"]["HintsView"];
            /** @description What to look at before signing */
            readonly warnings: readonly string[];
            /** @description All transactions, when one cannot take every lot; the first is `preparedTx` */
            readonly preparedTxs?: readonly components["schemas"]["PreparedTxView"][];
            /** @description `{ method, tokenIds, ipfsCid, … }`: what was prepared */
            readonly metadata: {
                readonly [key: string]: unknown;
            };
            /** @description CID of the notice */
            readonly ipfsCid: string;
        };
        readonly Object: Record<string, unknown>;
        readonly RecalledLotView: {
            /** @description The lot */
            readonly tokenId: number;
            /** @description Its traceability lot code */
            readonly tlc: string | null;
            /**
             * Format: date-time
             * @description When the recall of it was lifted
             */
            readonly liftedAt: string | null;
            /** @description EIP-55 address that lifted it */
            readonly liftedBy: string | null;
            /** @description Whether another wallet signed the lifting than it was prepared for */
            readonly liftSenderMismatch: boolean;
            /** @description EIP-55 address that the lifting was prepared for, where another one signed */
            readonly liftPreparedSender: string | null;
            /** @description Why it was lifted; null where the notice of the lifting could not be read */
            readonly liftReason: string | null;
        };
        readonly RecallView: {
            /**
             * Format: uuid
             * @description Derived from chain, contract, transaction and log
             */
            readonly id: string;
            /** @description Why */
            readonly reason: string | null;
            /**
             * @description Class
             * @enum {string|null}
             */
            readonly recallClass: "I" | "II" | "III" | "withdrawal" | "unclassified" | null;
            /**
             * @description Depth
             * @enum {string|null}
             */
            readonly depth: "consumer" | "retail" | "wholesale" | null;
            /**
             * @description What happens to affected lots
             * @enum {string}
             */
            readonly propagation: "none" | "flag" | "hold" | "recall";
            /** @description Number of the recall elsewhere */
            readonly reference: string | null;
            /** @description What holders are to do */
            readonly instructions: string | null;
            /** @description Whether the notice was read */
            readonly resolved: boolean;
            /** @description EIP-55 address of the signer */
            readonly recalledBy: string;
            /** @description Whether another wallet signed than it was prepared for */
            readonly senderMismatch: boolean;
            /** @description EIP-55 address that it was prepared for, where another one signed */
            readonly preparedSender: string | null;
            /**
             * Format: date-time
             * @description Block time
             */
            readonly recalledAt: string;
            /** @description Block */
            readonly blockNumber: number;
            /** @description Transaction */
            readonly txHash: string;
            /** @description Whether any of its lots is still recalled by it */
            readonly open: boolean;
            /** @description The lots it flagged */
            readonly lots: readonly components["schemas"]["RecalledLotView"][];
            /** @description Lots affected now by those still recalled; with propagation `none`, lots that they reach and leave untouched */
            readonly affectedCount: number;
            /** @description Affected lots when it was prepared; null when it was not prepared by this service */
            readonly affectedWhenPrepared: number | null;
            /** @description The block at which that was counted */
            readonly preparedAtBlock: number | null;
            /** @description Lots for which a holder has said what was done with them; `/recalls/{id}/acknowledgements` has each */
            readonly acknowledgedCount: number;
            /**
             * Format: date-time
             * @description When its holds were ended
             */
            readonly holdsReleasedAt: string | null;
        };
        readonly RecallPageView: {
            /** @description Exact up to 10,000 */
            readonly total: number;
            /** @description Page, from 1 */
            readonly page: number;
            /** @description Items per page */
            readonly limit: number;
            /** @description Present when there are more than 10,000 */
            readonly totalIsLowerBound?: boolean;
            /** @description Cursor of the next page; null on the last page, and in lists without cursors */
            readonly nextCursor: string | null;
            /** @description Newest first */
            readonly data: readonly components["schemas"]["RecallView"][];
        };
        readonly HoldBody: {
            /** @description Why */
            readonly reason: string;
        };
        readonly HeldView: {
            /** @description The lot */
            readonly tokenId: number;
            /** @description Whether it is on hold now */
            readonly onHold: boolean;
        };
        readonly ReleasedView: {
            /** @description Lots without a hold now */
            readonly released: number;
        };
        readonly DrillBody: {
            /** @description The lot; drawn at random when absent */
            readonly tokenId?: number | string;
            /**
             * @description Ask the holders too: they acknowledge the drill at `/api/v1/recalls/{id of the drill}/acknowledgements`
             * @default false
             */
            readonly ask?: boolean;
        };
        readonly DrillView: {
            /**
             * Format: uuid
             * @description The drill
             */
            readonly id: string;
            /** @description The lot */
            readonly tokenId: number;
            /** @description Its traceability lot code */
            readonly tlc: string;
            /** @description Whether the lot was drawn */
            readonly drawn: boolean;
            /**
             * Format: date-time
             * @description When
             */
            readonly startedAt: string;
            /** @description User or API key */
            readonly startedBy: string;
            /** @description Whether the holders are asked to acknowledge it */
            readonly asks: boolean;
            /** @description 0 to 100 */
            readonly score: number;
            /** @description traceBack, traceForward, massBalance (kilograms), kde (missing key data elements), custodians (unreachable ones), estimatedUnits, elapsedMs, and `parts`: what each adds to the score, 0 to 1 */
            readonly report: {
                readonly [key: string]: unknown;
            };
        };
        readonly DrillPageView: {
            /** @description Exact up to 10,000 */
            readonly total: number;
            /** @description Page, from 1 */
            readonly page: number;
            /** @description Items per page */
            readonly limit: number;
            /** @description Present when there are more than 10,000 */
            readonly totalIsLowerBound?: boolean;
            /** @description Cursor of the next page; null on the last page, and in lists without cursors */
            readonly nextCursor: string | null;
            /** @description Newest first */
            readonly data: readonly components["schemas"]["DrillView"][];
        };
        readonly AcknowledgedQuantity: {
            /** @description Decimal text, at most six places */
            readonly value: string;
            /** @description UNECE code of the unit */
            readonly uom: string;
        };
        readonly AcknowledgedLot: {
            /** @description The lot */
            readonly tokenId: number | string;
            /**
             * @description What was done with it
             * @enum {string}
             */
            readonly state: "quarantined" | "returned" | "destroyed" | "not_found";
            /** @description How much of it; the whole lot without it */
            readonly quantity?: components["schemas"]["AcknowledgedQuantity"];
        };
        readonly AcknowledgeRecallBody: {
            /** @description Lots that you hold */
            readonly lots: readonly components["schemas"]["AcknowledgedLot"][];
        };
        readonly LotsAcknowledgedView: {
            /** @description Lots that have another answer now */
            readonly changed: number;
        };
        readonly HolderAcknowledgementsView: {
            /** @description EIP-55 address */
            readonly address: string;
            /** @description Label of the address */
            readonly label: string;
            /** @description Kind of the label; `address`: nobody is known */
            readonly labelKind: string;
            /** @description Lots that it holds */
            readonly lots: number;
            /** @description Those of them that it has answered for */
            readonly acknowledged: number;
            /** @description Those of them of which some is open: not found, or an answer of less than there is */
            readonly short: number;
            /** @description How much of them there is, by unit */
            readonly held: {
                readonly [key: string]: unknown;
            };
        };
        readonly LotAcknowledgementView: {
            /** @description The lot */
            readonly tokenId: number;
            /** @description Its traceability lot code */
            readonly tlc: string;
            /** @description EIP-55 address of its custodian */
            readonly custodian: string;
            /**
             * @description What its custodian did with it; null: no answer yet
             * @enum {string|null}
             */
            readonly state: "quarantined" | "returned" | "destroyed" | "not_found" | null;
            /** @description `{ value, uom }`; null: the whole lot */
            readonly quantity: {
                readonly [key: string]: unknown;
            } | null;
            /** @description `{ value, uom }`: how much there is of it; null: not measured, or no longer held */
            readonly held: {
                readonly [key: string]: unknown;
            } | null;
            /** @description Whether the answer leaves some of it open: not found, or of less than there is */
            readonly short: boolean;
            /**
             * Format: date-time
             * @description When
             */
            readonly acknowledgedAt: string | null;
            /** @description User or API key */
            readonly acknowledgedBy: string | null;
        };
        readonly AcknowledgementsView: {
            /**
             * Format: uuid
             * @description The recall, or the drill
             */
            readonly recallId: string;
            /** @description Whether it is a drill */
            readonly drill: boolean;
            /** @description Lots that are to be answered for; when the recall is over, those that were answered for */
            readonly lots: number;
            /** @description Lots by state: quarantined, returned, destroyed, not_found, missing */
            readonly states: {
                readonly [key: string]: unknown;
            };
            /** @description Whether the recall reaches more lots than were walked */
            readonly truncated: boolean;
            /** @description Who holds them, most missing first */
            readonly holders: readonly components["schemas"]["HolderAcknowledgementsView"][];
            /** @description A page of the lots, those without an answer first */
            readonly data: readonly components["schemas"]["LotAcknowledgementView"][];
        };
        readonly PreparedEventView: {
            /** @description The unsigned transaction */
            readonly preparedTx: components["schemas"]["PreparedTxView"];
            /** @description Advice for the sender */
            readonly hints: components["schemas"]["HintsView"];
            /** @description What to look at before signing */
            readonly warnings: readonly string[];
            /**
             * Format: uuid
             * @description Id of the event, known before it lands
             */
            readonly eventId: string;
            /** @description CIDv1 (raw, sha2-256) of the stored canonical content */
            readonly ipfsCid: string;
            /** @description TLC of the main output, given or generated */
            readonly outputTlc: string | null;
            /** @description sha2-256 of the stored content, as it goes on chain */
            readonly dataHash: string;
        };
        readonly ValidationView: {
            /** @description Whether it was prepared */
            readonly valid: boolean;
            /** @description "<pointer into the document>: <sentence>" */
            readonly errors: readonly string[];
            /** @description Advice in the same form, its pointers into the metadata */
            readonly warnings: readonly string[];
        };
        readonly DeclarationView: {
            /** @description The unsigned transaction */
            readonly preparedTx: components["schemas"]["PreparedTxView"];
            /** @description Advice for the sender */
            readonly hints: components["schemas"]["HintsView"];
            /** @description What to look at before signing */
            readonly warnings: readonly string[];
            /**
             * Format: uuid
             * @description The event that is declared wrong
             */
            readonly eventId: string;
            /** @description CIDv1 of the stored error declaration */
            readonly ipfsCid: string;
            /** @description sha2-256 of it, as it goes on chain */
            readonly dataHash: string;
        };
        readonly CapturedEventView: {
            /** @description Place in the request, from 0 */
            readonly index: number;
            /** @description HTTP status that a request of its own would have had */
            readonly status: number;
            /** @description What was prepared; null when it was refused */
            readonly event: components["schemas"]["PreparedEventView"] | null;
            /** @description Why it was refused (RFC 9457); pointers go into the item */
            readonly problem: {
                readonly [key: string]: unknown;
            } | null;
            /** @description eventID as it came */
            readonly eventID: string | null;
            /** @description Event hash of CBV 2.0, `ni:///sha-256;…?ver=CBV2.0`; null for what is not an event */
            readonly eventHashID: string | null;
            /** @description The process that it was mapped to */
            readonly processType: string | null;
            /** @description Validation result */
            readonly validation: components["schemas"]["ValidationView"];
            /** @description The void of an event that an error declaration prepares; null otherwise */
            readonly declaration: components["schemas"]["DeclarationView"] | null;
        };
        readonly CaptureView: {
            /** @description How many were prepared */
            readonly prepared: number;
            /** @description How many were refused; nothing of them is stored */
            readonly refused: number;
            /** @description One result an event, in the order of the document */
            readonly data: readonly components["schemas"]["CapturedEventView"][];
        };
        readonly ExportFormatView: {
            /** @description Of the path */
            readonly name: string;
            /** @description Content-Type of the document */
            readonly mediaType: string;
            /** @description What it is */
            readonly about: string;
            /** @description Whether it contains the footprint */
            readonly footprint: boolean;
        };
        readonly ImportBody: {
            /**
             * Format: binary
             * @description CSV, XLSX, an X12 ship notice (856) or EPCIS in XML, of at most 50 MiB and 100,000 rows or events
             */
            readonly file: string;
            /** @description Process that the rows record; without it no mapping is proposed */
            readonly processType?: string;
            /** @description Name of the worksheet; the first one by default */
            readonly sheet?: string;
            /** @description Kept mapping: the rows are checked at once */
            readonly mappingId?: string;
        };
        readonly ImportCountsView: {
            /** @description Rows with something in them, the header apart */
            readonly total: number;
            /** @description Rows that the current task has read */
            readonly done: number;
            /** @description Rows without a problem */
            readonly valid: number;
            /** @description Rows with a problem */
            readonly invalid: number;
            /** @description Rows whose event was prepared */
            readonly prepared: number;
            /** @description Rows whose event was prepared before, by this import or another */
            readonly repeated: number;
        };
        readonly ImportView: {
            /**
             * Format: uuid
             * @description The import
             */
            readonly id: string;
            /** @description Name of the file */
            readonly name: string;
            /** @description Bytes */
            readonly size: number;
            /**
             * @description What the file is; null before it was read
             * @enum {string|null}
             */
            readonly format: "csv" | "xlsx" | "edi856" | "epcis" | null;
            /**
             * @description What is done, or was done last
             * @enum {string}
             */
            readonly task: "propose" | "check" | "prepare";
            /**
             * @description `waiting` and `running`: its job is queued, or runs. `proposed`, `checked`, `prepared`: it is done
             * @enum {string}
             */
            readonly state: "waiting" | "running" | "proposed" | "checked" | "prepared" | "failed" | "cancelled";
            /** @description Process */
            readonly processType: string | null;
            /** @description Rows */
            readonly rows: components["schemas"]["ImportCountsView"];
            /** @description `{ headerRow, headers[], sheets[], separator, columns[], groupBy }`: columns like those of a mapping, each with `score` and `questions` that somebody has to answer; `groupBy` of a table of events that was exported here */
            readonly proposal: {
                readonly [key: string]: unknown;
            } | null;
            /** @description The mapping of the last check */
            readonly mapping: {
                readonly [key: string]: unknown;
            } | null;
            /** @description What to know of how the file was read */
            readonly remarks: readonly string[];
            /** @description `{ code, message }`: why it failed */
            readonly failure: {
                readonly [key: string]: unknown;
            } | null;
            /** @description Whether somebody has cancelled it */
            readonly stopping: boolean;
            /** @description User or API key */
            readonly createdBy: string;
            /**
             * Format: date-time
             * @description When
             */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @description When something changed last
             */
            readonly changedAt: string;
        };
        readonly ImportPageView: {
            /** @description Exact up to 10,000 */
            readonly total: number;
            /** @description Page, from 1 */
            readonly page: number;
            /** @description Items per page */
            readonly limit: number;
            /** @description Present when there are more than 10,000 */
            readonly totalIsLowerBound?: boolean;
            /** @description Cursor of the next page; null on the last page, and in lists without cursors */
            readonly nextCursor: string | null;
            /** @description Newest first */
            readonly data: readonly components["schemas"]["ImportView"][];
        };
        readonly ImportProblemsView: {
            /** @description Row, as a spreadsheet numbers it; of EPCIS the place of the event, from 1 */
            readonly row: number;
            /** @description `column` is a letter; null where no cell is to blame. Of EPCIS, `header` is a pointer into the event */
            readonly problems: readonly {
                readonly column: string | null;
                readonly header: string | null;
                readonly code: string;
                readonly message: string;
            }[];
        };
        readonly ImportProblemPageView: {
            /** @description Exact up to 10,000 */
            readonly total: number;
            /** @description Page, from 1 */
            readonly page: number;
            /** @description Items per page */
            readonly limit: number;
            /** @description Present when there are more than 10,000 */
            readonly totalIsLowerBound?: boolean;
            /** @description Cursor of the next page; null on the last page, and in lists without cursors */
            readonly nextCursor: string | null;
            /** @description By row */
            readonly data: readonly components["schemas"]["ImportProblemsView"][];
        };
        readonly ImportedEventView: {
            /** @description Row, as a spreadsheet numbers it; of EPCIS the place of the event, from 1 */
            readonly row: number;
            /**
             * Format: uuid
             * @description The event
             */
            readonly eventId: string;
            /** @description What was prepared, to sign; null where another import has prepared it */
            readonly event: components["schemas"]["PreparedEventView"] | null;
        };
        readonly ImportedEventPageView: {
            /** @description Exact up to 10,000 */
            readonly total: number;
            /** @description Page, from 1 */
            readonly page: number;
            /** @description Items per page */
            readonly limit: number;
            /** @description Present when there are more than 10,000 */
            readonly totalIsLowerBound?: boolean;
            /** @description Cursor of the next page; null on the last page, and in lists without cursors */
            readonly nextCursor: string | null;
            /** @description By row */
            readonly data: readonly components["schemas"]["ImportedEventView"][];
        };
        readonly ImportGroupBody: {
            /** @description Header of the column */
            readonly column: string;
            /** @description Its letter, where two columns have the same header */
            readonly letter?: string;
        };
        readonly ImportColumnBody: {
            /** @description Header of the column */
            readonly column: string;
            /** @description Its letter, where two columns have the same header */
            readonly letter?: string;
            /** @description Pointer (RFC 6901) into the body of `POST /events/prepare` */
            readonly to: string;
            /**
             * @description How its cells are read
             * @enum {string}
             */
            readonly as: "text" | "number" | "integer" | "quantity" | "unit" | "date" | "instant" | "boolean" | "lot" | "further";
            /**
             * @description Decimal sign of texts
             * @enum {string}
             */
            readonly decimal?: "." | ",";
            /**
             * @description Form of texts that are dates
             * @enum {string}
             */
            readonly dateForm?: "YYYY-MM-DD" | "YYYY/MM/DD" | "YYYY.MM.DD" | "YYYYMMDD" | "DD.MM.YYYY" | "DD/MM/YYYY" | "DD-MM-YYYY" | "MM/DD/YYYY" | "MM-DD-YYYY" | "DD.MM.YY" | "DD/MM/YY" | "MM/DD/YY";
            /** @description Offset of times that have none */
            readonly offset?: string;
            /** @description Time of day of instants that are days */
            readonly time?: string;
            /** @description Unit (UNECE Rec 20) of quantities that have none */
            readonly unit?: string;
            /** @description What the texts of the column mean; others are refused */
            readonly lookup?: {
                readonly [key: string]: unknown;
            };
        };
        readonly ImportConstantBody: {
            /** @description Pointer into the body of `POST /events/prepare` */
            readonly to: string;
            /** @description `{ "is": … }`: a text, a number or a boolean */
            readonly value: {
                readonly [key: string]: unknown;
            };
        };
        readonly ImportMappingBody: {
            /** @description Process that the rows record */
            readonly processType: string;
            /** @description Name of the worksheet; the first one by default */
            readonly sheet?: string;
            /** @description Separator of a CSV file; found by default */
            readonly separator?: string;
            /** @description Row of the headers; the first one that is not empty by default */
            readonly headerRow?: number;
            /** @description Rows with the same text in this column are one event. They follow each other; without it each row is an event */
            readonly groupBy?: components["schemas"]["ImportGroupBody"];
            /** @description Columns that say something */
            readonly columns: readonly components["schemas"]["ImportColumnBody"][];
            /** @description Values of every event */
            readonly constants?: readonly components["schemas"]["ImportConstantBody"][];
        };
        readonly CheckImportBody: {
            /** @description Kept mapping */
            readonly mappingId?: string;
            /** @description Mapping; or `mappingId`, or neither for the one of before */
            readonly mapping?: components["schemas"]["ImportMappingBody"];
        };
        readonly PrepareImportBody: {
            /**
             * @description all: refused while a row has a problem; valid: rows with problems are left out
             * @enum {string}
             */
            readonly rows: "all" | "valid";
            /** @description EIP-55 address that will sign: one of your own; absent: your wallet */
            readonly from?: string;
        };
        readonly KeepMappingBody: {
            /** @description Name */
            readonly name: string;
            /**
             * @description Whose files it reads
             * @default
             */
            readonly partner?: string;
            /** @description The mapping */
            readonly mapping: components["schemas"]["ImportMappingBody"];
        };
        readonly SavedMappingView: {
            /**
             * Format: uuid
             * @description This version
             */
            readonly id: string;
            /** @description Name */
            readonly name: string;
            /** @description Whose files it reads; empty for anybody’s */
            readonly partner: string;
            /** @description Version, from 1 */
            readonly version: number;
            /** @description The mapping */
            readonly mapping: {
                readonly [key: string]: unknown;
            };
            /** @description User or API key */
            readonly createdBy: string;
            /**
             * Format: date-time
             * @description When
             */
            readonly createdAt: string;
        };
        readonly SavedMappingPageView: {
            /** @description Exact up to 10,000 */
            readonly total: number;
            /** @description Page, from 1 */
            readonly page: number;
            /** @description Items per page */
            readonly limit: number;
            /** @description Present when there are more than 10,000 */
            readonly totalIsLowerBound?: boolean;
            /** @description Cursor of the next page; null on the last page, and in lists without cursors */
            readonly nextCursor: string | null;
            /** @description By partner and name, the newest version first */
            readonly data: readonly components["schemas"]["SavedMappingView"][];
        };
        readonly ProductIdsBody: {
            /** @description GS1 Digital Links, or other identifiers of products */
            readonly productIds: readonly string[];
        };
        readonly DppIdsView: {
            /** @description Passports of the products, each once, in the order of the products */
            readonly dppIds: readonly string[];
            /** @description `cursor` of the next answer; absent at the end */
            readonly nextCursor?: string;
        };
        readonly PreparedDppView: {
            /** @description The unsigned transaction */
            readonly preparedTx: components["schemas"]["PreparedTxView"];
            /** @description Advice for the sender */
            readonly hints: components["schemas"]["HintsView"];
            /** @description What to look at before signing */
            readonly warnings: readonly string[];
            /**
             * Format: uuid
             * @description Id of the event, known before it lands
             */
            readonly eventId: string;
            /** @description CIDv1 (raw, sha2-256) of the stored canonical content */
            readonly ipfsCid: string;
            /** @description TLC of the main output, given or generated */
            readonly outputTlc: string | null;
            /** @description sha2-256 of the stored content, as it goes on chain */
            readonly dataHash: string;
            /** @description Where the passport is found when it is issued: `GET /v1/dppsByProductId/{productId}` */
            readonly uniqueProductIdentifier: string | null;
        };
        readonly LinkBody: {
            /**
             * @description How long the link opens the file, in seconds
             * @default 86400
             */
            readonly expiresInSeconds?: number;
        };
        readonly BundleLinkView: {
            /** @description Opens the whole evidence, bytes and lineage, for everybody who has the link */
            readonly url: string;
            /**
             * Format: date-time
             * @description Until then
             */
            readonly expiresAt: string;
        };
        readonly PassportSettingsView: {
            /** @description Lots of asset types with `passport: true` have public passports */
            readonly enabled: boolean;
            /** @description Passports show chain, transaction and data hash, and offer their evidence */
            readonly showIntegrity: boolean;
            /** @description `https://host` that labels and links lead to; null: the address of the request */
            readonly resolver: string | null;
        };
        readonly PassportSettingsBody: {
            /** @description Lots of asset types with `passport: true` have public passports */
            readonly enabled?: boolean;
            /** @description Passports show chain, transaction and data hash, and offer their evidence */
            readonly showIntegrity?: boolean;
            /** @description `https://host` that labels and links lead to, in ASCII (`xn--…`); null: the address of the request */
            readonly resolver?: string | null;
        };
        readonly PassportView: {
            /** @description 128 random bits, hexadecimal */
            readonly id: string;
            /** @description The lot */
            readonly tokenId: number;
            /** @description Its code */
            readonly tlc: string;
            /** @description GTIN of its product */
            readonly gtin: string | null;
            /** @description Serial number of a single item */
            readonly serial: string | null;
            /** @description Where it is shown */
            readonly url: string;
            /** @description GS1 Digital Link, with `?tenant=` where other tenants show a passport at it, too; null without a GTIN, or where that link is the passport of another lot */
            readonly digitalLink: string | null;
            /**
             * @description What it is about: all of a product, a lot, or one item
             * @enum {string}
             */
            readonly granularity: "model" | "batch" | "item";
            /** @description Counts what the public reads: one more with every change */
            readonly version: number;
            /**
             * Format: date-time
             * @description When it was issued
             */
            readonly issuedAt: string;
            /**
             * Format: date-time
             * @description Since when the public reads this version
             */
            readonly lastUpdated: string;
            /**
             * Format: date-time
             * @description Null while it is shown
             */
            readonly withdrawnAt: string | null;
            /** @description Why it was withdrawn */
            readonly withdrawnReason: string | null;
        };
        readonly PassportPageView: {
            /** @description Exact up to 10,000 */
            readonly total: number;
            /** @description Page, from 1 */
            readonly page: number;
            /** @description Items per page */
            readonly limit: number;
            /** @description Present when there are more than 10,000 */
            readonly totalIsLowerBound?: boolean;
            /** @description Newest first */
            readonly data: readonly components["schemas"]["PassportView"][];
        };
        readonly WithdrawBody: {
            /** @description Why; for the audit log, never public */
            readonly reason: string;
        };
        readonly VersionChangeView: {
            /**
             * Format: uuid
             * @description The latest event of the history of the lot then
             */
            readonly eventId: string;
            /** @description Chain on which it landed */
            readonly chainId: number | null;
            /** @description Contract that recorded it */
            readonly contract: string | null;
            /** @description Transaction that recorded it */
            readonly txHash: string | null;
            /** @description Its block */
            readonly block: number | null;
        };
        readonly PassportVersionView: {
            /** @description From 1 */
            readonly version: number;
            /**
             * Format: date-time
             * @description Since when the public reads it: `lastUpdated` of its document
             */
            readonly from: string;
            /** @description Bytes of the document in full representation */
            readonly bytes: number;
            /** @description sha2-256 of the document in full representation, as it was archived */
            readonly hash: string;
            /** @description Where the chain has it; null where nothing is on chain */
            readonly change: components["schemas"]["VersionChangeView"] | null;
            /** @description Address that signed the event that is new in this version; null where the change has another cause */
            readonly actor: string | null;
            /** @description Organisation that recorded that event */
            readonly orgId: string | null;
            /** @description Pointers to values that were erased of the document since; its hash is that of before */
            readonly erased: readonly string[];
        };
        readonly PassportVersionPageView: {
            /** @description Exact up to 10,000 */
            readonly total: number;
            /** @description Page, from 1 */
            readonly page: number;
            /** @description Items per page */
            readonly limit: number;
            /** @description Present when there are more than 10,000 */
            readonly totalIsLowerBound?: boolean;
            /** @description Newest first */
            readonly data: readonly components["schemas"]["PassportVersionView"][];
        };
        readonly AccessGrantView: {
            /**
             * Format: uuid
             * @description Id
             */
            readonly id: string;
            /** @description The passport */
            readonly passportId: string;
            /**
             * @description `link` opens the passport once, `key` until it expires
             * @enum {string}
             */
            readonly kind: "link" | "key";
            /**
             * @description `legitimate_interest`: values that the process map keeps for persons with a legitimate interest; `authority`: those, and the values for authorities
             * @enum {string}
             */
            readonly accessClass: "legitimate_interest" | "authority";
            /**
             * @description The person or organisation that gets it
             * @example Example Recycling
             */
            readonly grantee: string;
            /**
             * @description What for; the holder of the grant reads it
             * @example Dismantling
             */
            readonly purpose: string;
            /**
             * Format: date-time
             * @description Created
             */
            readonly createdAt: string;
            /** @description By this user or API key */
            readonly createdBy: string;
            /**
             * Format: date-time
             * @description From then on it opens nothing
             */
            readonly expiresAt: string;
            /** @description How often it opened the passport */
            readonly uses: number;
            /**
             * Format: date-time
             * @description When last
             */
            readonly usedAt: string | null;
            /**
             * Format: date-time
             * @description Withdrawn
             */
            readonly withdrawnAt: string | null;
        };
        readonly AccessGrantPageView: {
            /** @description Exact up to 10,000 */
            readonly total: number;
            /** @description Page, from 1 */
            readonly page: number;
            /** @description Items per page */
            readonly limit: number;
            /** @description Present when there are more than 10,000 */
            readonly totalIsLowerBound?: boolean;
            /** @description Newest first */
            readonly data: readonly components["schemas"]["AccessGrantView"][];
        };
        readonly CreateGrantBody: {
            /**
             * @description `link` opens the passport once, `key` until it expires
             * @default link
             * @enum {string}
             */
            readonly kind?: "link" | "key";
            /**
             * @description `legitimate_interest`: values that the process map keeps for persons with a legitimate interest; `authority`: those, and the values for authorities
             * @enum {string}
             */
            readonly accessClass: "legitimate_interest" | "authority";
            /**
             * @description The person or organisation that gets it
             * @example Example Recycling
             */
            readonly grantee: string;
            /**
             * @description What for; the holder of the grant reads it
             * @example Dismantling
             */
            readonly purpose: string;
            /**
             * @description How long it opens the passport
             * @default 604800
             */
            readonly expiresInSeconds?: number;
        };
        readonly CreatedGrantView: {
            /**
             * Format: uuid
             * @description Id
             */
            readonly id: string;
            /** @description The passport */
            readonly passportId: string;
            /**
             * @description `link` opens the passport once, `key` until it expires
             * @enum {string}
             */
            readonly kind: "link" | "key";
            /**
             * @description `legitimate_interest`: values that the process map keeps for persons with a legitimate interest; `authority`: those, and the values for authorities
             * @enum {string}
             */
            readonly accessClass: "legitimate_interest" | "authority";
            /**
             * @description The person or organisation that gets it
             * @example Example Recycling
             */
            readonly grantee: string;
            /**
             * @description What for; the holder of the grant reads it
             * @example Dismantling
             */
            readonly purpose: string;
            /**
             * Format: date-time
             * @description Created
             */
            readonly createdAt: string;
            /** @description By this user or API key */
            readonly createdBy: string;
            /**
             * Format: date-time
             * @description From then on it opens nothing
             */
            readonly expiresAt: string;
            /** @description How often it opened the passport */
            readonly uses: number;
            /**
             * Format: date-time
             * @description When last
             */
            readonly usedAt: string | null;
            /**
             * Format: date-time
             * @description Withdrawn
             */
            readonly withdrawnAt: string | null;
            /** @description Opens the passport as the header `X-DPP-Grant` of `GET /v1/dpps/{dppId}`; shown only here */
            readonly token: string;
            /** @description A page that opens the passport with it, for a person */
            readonly url: string;
        };
        readonly TenantLinkView: {
            /**
             * Format: uuid
             * @description Id
             */
            readonly id: string;
            /**
             * @description Path of the canonical GS1 Digital Link
             * @example /01/09520123450014
             */
            readonly anchor: string;
            /**
             * @description Link type of the GS1 Web Vocabulary
             * @example gs1:instructions
             */
            readonly linkType: string;
            /**
             * @description Target, `http` or `https`
             * @example https://example.com/rice/cooking
             */
            readonly href: string;
            /**
             * @description Title for people, in the language of the target
             * @example How to cook it
             */
            readonly title: string;
            /**
             * @description Media type of the target
             * @example text/html
             */
            readonly mediaType: string | null;
            /**
             * @description Languages of the target: ISO 639-1, with a country where it matters
             * @example [
             *       "en",
             *       "de-AT"
             *     ]
             */
            readonly languages: readonly string[];
            /** @description Where a request that asks for nothing in particular is led; the link that was the default of this key before is no longer */
            readonly isDefault: boolean;
            /**
             * Format: date-time
             * @description Created
             */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @description Last change
             */
            readonly changedAt: string;
        };
        readonly LinkPageView: {
            /** @description Exact up to 10,000 */
            readonly total: number;
            /** @description Page, from 1 */
            readonly page: number;
            /** @description Items per page */
            readonly limit: number;
            /** @description Present when there are more than 10,000 */
            readonly totalIsLowerBound?: boolean;
            /** @description Newest first */
            readonly data: readonly components["schemas"]["TenantLinkView"][];
        };
        readonly CreateLinkBody: {
            /**
             * @description GS1 Digital Link of what the link is about, or its path; a GTIN with a lot or serial number is about that lot or item alone
             * @example /01/09520123450014
             */
            readonly anchor: string;
            /**
             * @description Link type of the GS1 Web Vocabulary
             * @example gs1:instructions
             */
            readonly linkType: string;
            /**
             * @description Target, `http` or `https`
             * @example https://example.com/rice/cooking
             */
            readonly href: string;
            /**
             * @description Title for people, in the language of the target
             * @example How to cook it
             */
            readonly title: string;
            /**
             * @description Media type of the target
             * @example text/html
             */
            readonly mediaType?: string | null;
            /**
             * @description Languages of the target: ISO 639-1, with a country where it matters
             * @example [
             *       "en",
             *       "de-AT"
             *     ]
             */
            readonly languages?: readonly string[];
            /**
             * @description Where a request that asks for nothing in particular is led; the link that was the default of this key before is no longer
             * @default false
             */
            readonly isDefault?: boolean;
        };
        readonly ChangeLinkBody: {
            /**
             * @description Link type of the GS1 Web Vocabulary
             * @example gs1:instructions
             */
            readonly linkType?: string;
            /**
             * @description Target, `http` or `https`
             * @example https://example.com/rice/cooking
             */
            readonly href?: string;
            /**
             * @description Title for people, in the language of the target
             * @example How to cook it
             */
            readonly title?: string;
            /**
             * @description Media type of the target
             * @example text/html
             */
            readonly mediaType?: string | null;
            /**
             * @description Languages of the target: ISO 639-1, with a country where it matters
             * @example [
             *       "en",
             *       "de-AT"
             *     ]
             */
            readonly languages?: readonly string[];
            /** @description Where a request that asks for nothing in particular is led; the link that was the default of this key before is no longer */
            readonly isDefault?: boolean;
        };
        readonly RegistrySettingsView: {
            /** @description Address to which entries are sent; null: they are fetched as a batch file */
            readonly url: string | null;
            /** @description Address of the back-up */
            readonly backUpUrl: string | null;
            /** @description Whom the certificate of the seal names */
            readonly subject: string;
            /** @description sha2-256 of that certificate */
            readonly fingerprint: string;
            /**
             * Format: date-time
             * @description Until when it is valid
             */
            readonly validTo: string;
            /** @description Why nothing can be sealed with it now: the code of the refusal of a certificate; null while it can */
            readonly fault: string | null;
            /**
             * Format: date-time
             * @description Since when it is so
             */
            readonly changedAt: string;
        };
        readonly RegistrySettingsBody: {
            /**
             * @description `https` address to which entries are sent; null: they are fetched as a batch file
             * @example https://registry.example/registrations
             */
            readonly url?: string | null;
            /**
             * @description `https` address at which the back-up of the passports is served; null without one
             * @example https://back-up.example/rice
             */
            readonly backUpUrl?: string | null;
            /**
             * @description PEM: the certificate of the seal, then those that issued it
             * @example -----BEGIN CERTIFICATE-----
             *     …
             *     -----END CERTIFICATE-----
             */
            readonly certificateChain: string;
            /**
             * @description PEM (PKCS #8) of the key of that certificate: EC (P-256, P-384, P-521) or RSA from 2,048 bits on. Nobody can read it again
             * @example -----BEGIN PRIVATE KEY-----
             *     …
             *     -----END PRIVATE KEY-----
             */
            readonly sealKey: string;
        };
        readonly RegistrationView: {
            /** @description The passport */
            readonly passportId: string;
            /** @description Of the entries of this passport, from 1 */
            readonly number: number;
            /** @description Version of the passport that it is about */
            readonly version: number;
            /**
             * @description What is asked of the registry
             * @enum {string}
             */
            readonly action: "register" | "withdraw";
            /**
             * @description What became of it
             * @enum {string}
             */
            readonly state: "waiting" | "registered" | "refused";
            /**
             * @description What the registry calls it
             * @example R-1
             */
            readonly registrationId: string | null;
            /** @description Why it was refused, or still waits after an attempt: the code of the registry, `http_…`, or why there was no answer */
            readonly reasonCode: string | null;
            /** @description The same in words */
            readonly reason: string | null;
            /** @description Attempts to send it */
            readonly attempts: number;
            /** @description The entry */
            readonly entry: {
                readonly [key: string]: unknown;
            };
            /** @description Detached JAdES signature of the entry as canonical JSON (RFC 8785) */
            readonly seal: string;
            /**
             * Format: date-time
             * @description When it was sealed
             */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @description When the registry decided
             */
            readonly settledAt: string | null;
        };
        readonly RegistrationPageView: {
            /** @description Exact up to 10,000 */
            readonly total: number;
            /** @description Page, from 1 */
            readonly page: number;
            /** @description Items per page */
            readonly limit: number;
            /** @description Present when there are more than 10,000 */
            readonly totalIsLowerBound?: boolean;
            /** @description Newest first */
            readonly data: readonly components["schemas"]["RegistrationView"][];
        };
        readonly BatchEntryView: {
            /** @description The passport */
            readonly passportId: string;
            /** @description Of the entries of this passport, from 1 */
            readonly number: number;
            /** @description The entry: the bytes that are sealed, as text */
            readonly entry: string;
            /** @description Detached JAdES signature of them */
            readonly seal: string;
        };
        readonly RegistrationBatchView: {
            /** @description Of this file */
            readonly format: string;
            /** @description Entries that wait, oldest first */
            readonly entries: readonly components["schemas"]["BatchEntryView"][];
        };
        readonly RegistrationOutcomeBody: {
            /** @description The passport */
            readonly passportId: string;
            /** @description Of the entries of this passport */
            readonly number: number;
            /** @description What the registry calls the entry, where it has it */
            readonly registrationId?: string;
            /**
             * @description Why it was refused for good
             * @example operator_unknown
             */
            readonly code?: string;
            /** @description The same in words */
            readonly message?: string;
        };
        readonly RegistrationOutcomesBody: {
            /** @description Of entries that went as a batch file */
            readonly outcomes: readonly components["schemas"]["RegistrationOutcomeBody"][];
        };
        readonly SettledBatchView: {
            /** @description Entries that the registry has */
            readonly registered: number;
            /** @description Entries that it refused */
            readonly refused: number;
        };
        readonly AcknowledgeBody: {
            /** @description Reason, or what is being done */
            readonly note?: string;
            /** @description Mute until this time: neither listed nor counted (ISO 8601 with an offset) */
            readonly muteUntil?: string;
        };
        readonly SubjectView: {
            /**
             * @description Subject of the alert
             * @enum {string}
             */
            readonly kind: "lot" | "event" | "transfer" | "transaction" | "subscription" | "pointer";
            /** @description Token id of a lot, else the id of the subject */
            readonly id: string;
            /** @description Token id of the lot */
            readonly tokenId: number | null;
            /** @description Code of the lot */
            readonly tlc: string | null;
        };
        readonly AcknowledgedView: {
            /**
             * Format: date-time
             * @description Time of the acknowledgement
             */
            readonly at: string;
            /** @description User or API key */
            readonly by: string;
            /** @description Note */
            readonly note: string | null;
        };
        readonly AlertView: {
            /**
             * @description Stable: the same rule about the same subject has the same id
             * @example 9f1c0a527a314c84
             */
            readonly id: string;
            /**
             * @description Rule
             * @enum {string}
             */
            readonly type: "LOT_EXPIRED" | "LOT_EXPIRING" | "RECALLED_IN_STOCK" | "RECALL_AFFECTED_LIVE" | "CUSTODY_PENDING" | "MASS_BALANCE" | "OVER_CONSUMPTION" | "YIELD_OUTLIER" | "KDE_MISSING" | "EVENT_LATE" | "EVENT_ORDER" | "CID_UNRESOLVED" | "CID_MISMATCH" | "CHAIN_DRIFT" | "CONTENT_EXPOSED" | "TX_STUCK" | "TX_FAILED" | "EVENT_UNSUBMITTED" | "DOCUMENT_EXPIRED" | "DOCUMENT_MISSING" | "FOOTPRINT_GAP" | "CLAIM_BREACH" | "POLICY_BREACH" | "WEBHOOK_FAILING" | "GEO_QUALITY";
            /**
             * @description Severity
             * @enum {string}
             */
            readonly severity: "critical" | "high" | "medium" | "low";
            /** @description The problem in one line */
            readonly title: string;
            /** @description The problem with its figures */
            readonly detail: string;
            /** @description Subject of the alert */
            readonly subject: components["schemas"]["SubjectView"];
            /** @description Figures behind the alert */
            readonly evidence: {
                readonly [key: string]: unknown;
            };
            /** @description Limits that were exceeded */
            readonly threshold: {
                readonly [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description Open since
             */
            readonly detectedAt: string;
            /**
             * Format: date-time
             * @description First detection
             */
            readonly firstSeenAt: string;
            /**
             * Format: date-time
             * @description Time of the resolution; null = open
             */
            readonly resolvedAt: string | null;
            /** @description Acknowledgement; null = none */
            readonly acknowledged: components["schemas"]["AcknowledgedView"] | null;
            /**
             * Format: date-time
             * @description Muted until
             */
            readonly mutedUntil: string | null;
            /** @description What to do */
            readonly recommendation: string;
            /** @description The regulation or standard behind the rule */
            readonly reference: string | null;
        };
        readonly AlertLimitsView: {
            /** @description Limits in force; a process map may override them */
            readonly limits: {
                /**
                 * @description A lot is reported as expiring this long before its date.
                 * @default 1209600
                 */
                readonly expiringSoonWithinSeconds?: number;
                /**
                 * @description A transfer may wait this long for an answer.
                 * @default 259200
                 */
                readonly custodyAcceptWithinSeconds?: number;
                /**
                 * @description An event is late when it is recorded this long after it happened.
                 * @default 86400
                 */
                readonly lateAfterSeconds?: number;
                /**
                 * @description Share of the input that may be unaccounted for.
                 * @default 0.02
                 */
                readonly massBalanceTolerance?: number;
                /**
                 * @description Share of a lot by which its uses may exceed its quantity (rounding).
                 * @default 0.000001
                 */
                readonly overConsumptionShare?: number;
                /**
                 * @description A yield is an outlier beyond this modified z-score of its process.
                 * @default 3.5
                 */
                readonly yieldScore?: number;
                /**
                 * @description Outliers are only reported for processes with this many yields.
                 * @default 8
                 */
                readonly yieldEvents?: number;
                /**
                 * @description An event may be dated this far after its recording.
                 * @default 300
                 */
                readonly futureSeconds?: number;
                /**
                 * @description A tracked transaction may stay open this long.
                 * @default 1800
                 */
                readonly txStuckAfterSeconds?: number;
                /**
                 * @description A failed transaction is reported for this long.
                 * @default 604800
                 */
                readonly txFailedWithinSeconds?: number;
                /**
                 * @description A prepared event may wait this long for its transaction.
                 * @default 86400
                 */
                readonly unsubmittedAfterSeconds?: number;
                /**
                 * @description Least share of the mass of a finished good with a declared footprint.
                 * @default 0.8
                 */
                readonly footprintCoverage?: number;
                /**
                 * @description Number of failed deliveries in a row that is reported.
                 * @default 5
                 */
                readonly webhookFailures?: number;
                /**
                 * @description A plot above this area needs a polygon.
                 * @default 4
                 */
                readonly plotAreaHa?: number;
                /**
                 * @description Least number of decimals of plot coordinates.
                 * @default 6
                 */
                readonly coordinateDecimals?: number;
                /**
                 * @description Share of the declared area of a plot by which its polygon may be larger or smaller.
                 * @default 0.2
                 */
                readonly plotAreaTolerance?: number;
            };
            /** @description Limits that the tenant set */
            readonly own: {
                /**
                 * @description A lot is reported as expiring this long before its date.
                 * @default 1209600
                 */
                readonly expiringSoonWithinSeconds?: number;
                /**
                 * @description A transfer may wait this long for an answer.
                 * @default 259200
                 */
                readonly custodyAcceptWithinSeconds?: number;
                /**
                 * @description An event is late when it is recorded this long after it happened.
                 * @default 86400
                 */
                readonly lateAfterSeconds?: number;
                /**
                 * @description Share of the input that may be unaccounted for.
                 * @default 0.02
                 */
                readonly massBalanceTolerance?: number;
                /**
                 * @description Share of a lot by which its uses may exceed its quantity (rounding).
                 * @default 0.000001
                 */
                readonly overConsumptionShare?: number;
                /**
                 * @description A yield is an outlier beyond this modified z-score of its process.
                 * @default 3.5
                 */
                readonly yieldScore?: number;
                /**
                 * @description Outliers are only reported for processes with this many yields.
                 * @default 8
                 */
                readonly yieldEvents?: number;
                /**
                 * @description An event may be dated this far after its recording.
                 * @default 300
                 */
                readonly futureSeconds?: number;
                /**
                 * @description A tracked transaction may stay open this long.
                 * @default 1800
                 */
                readonly txStuckAfterSeconds?: number;
                /**
                 * @description A failed transaction is reported for this long.
                 * @default 604800
                 */
                readonly txFailedWithinSeconds?: number;
                /**
                 * @description A prepared event may wait this long for its transaction.
                 * @default 86400
                 */
                readonly unsubmittedAfterSeconds?: number;
                /**
                 * @description Least share of the mass of a finished good with a declared footprint.
                 * @default 0.8
                 */
                readonly footprintCoverage?: number;
                /**
                 * @description Number of failed deliveries in a row that is reported.
                 * @default 5
                 */
                readonly webhookFailures?: number;
                /**
                 * @description A plot above this area needs a polygon.
                 * @default 4
                 */
                readonly plotAreaHa?: number;
                /**
                 * @description Least number of decimals of plot coordinates.
                 * @default 6
                 */
                readonly coordinateDecimals?: number;
                /**
                 * @description Share of the declared area of a plot by which its polygon may be larger or smaller.
                 * @default 0.2
                 */
                readonly plotAreaTolerance?: number;
            };
        };
        readonly AlertLimitsBody: {
            /** @description Limits by name; null restores the default, absent limits stay */
            readonly limits: {
                readonly [key: string]: unknown;
            };
        };
        readonly NoticeView: {
            /**
             * Format: uuid
             * @description The notice
             */
            readonly id: string;
            /**
             * @description What it is about
             * @enum {string}
             */
            readonly topic: "recall" | "transfer" | "document" | "alert" | "webhook" | "import";
            /** @description In plain words */
            readonly title: string;
            /** @description Path of a page of the portal, below `/portal` */
            readonly link: string | null;
            /**
             * Format: date-time
             * @description When
             */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @description When it was read
             */
            readonly readAt: string | null;
        };
        readonly NoticePageView: {
            /** @description Exact up to 10,000 */
            readonly total: number;
            /** @description Page, from 1 */
            readonly page: number;
            /** @description Items per page */
            readonly limit: number;
            /** @description Present when there are more than 10,000 */
            readonly totalIsLowerBound?: boolean;
            /** @description Cursor of the next page; null on the last page, and in lists without cursors */
            readonly nextCursor: string | null;
            /** @description Newest first */
            readonly data: readonly components["schemas"]["NoticeView"][];
            /** @description Notices that are not read, of all pages */
            readonly unread: number;
        };
        readonly ReadNoticesBody: {
            /** @description Ids of notices; without them, all */
            readonly ids?: readonly string[];
        };
        readonly UnreadNoticesView: {
            /** @description Notices that are not read */
            readonly unread: number;
        };
        readonly NoticeChoiceView: {
            /** @description Whether they are shown in the portal */
            readonly inPortal: boolean;
            /** @description Whether they come by mail */
            readonly byMail: boolean;
            /**
             * @description What the notices are about
             * @enum {string}
             */
            readonly topic: "recall" | "transfer" | "document" | "alert" | "webhook" | "import";
        };
        readonly NoticeChoicesView: {
            /** @description One for each topic */
            readonly data: readonly components["schemas"]["NoticeChoiceView"][];
        };
        readonly NoticeChoiceBody: {
            /** @description Whether they are shown in the portal */
            readonly inPortal: boolean;
            /** @description Whether they come by mail */
            readonly byMail: boolean;
        };
        readonly FoundLot: {
            /** @description The lot */
            readonly tokenId: number;
            /** @description Its traceability lot code */
            readonly tlc: string;
            /** @description Key of its product in the process map */
            readonly assetType: string | null;
            /** @description Name of its product */
            readonly assetTypeName: string | null;
            /** @description GTIN, 14 digits */
            readonly gtin: string | null;
            /** @description Its status */
            readonly status: string;
            /** @description EIP-55 address of its custodian */
            readonly custodian: string;
            /** @description Label of the custodian; null: nobody is known */
            readonly custodianLabel: string | null;
            /** @description What is left, in `uom`; null = unmeasured */
            readonly remainingQuantity: number | null;
            /** @description UNECE code of the unit */
            readonly uom: string | null;
            /** @description Recalled itself */
            readonly recalled: boolean;
            /** @description Affected by a recall */
            readonly recallAffected: boolean;
            /**
             * @description `key`: it is the lot that is named; `code`: its code begins so; `product` and `holder`: the newest of a product or company that was found
             * @enum {string}
             */
            readonly foundBy: "key" | "code" | "product" | "holder";
        };
        readonly FoundProduct: {
            /** @description Key in the process map */
            readonly assetType: string;
            /** @description Name */
            readonly name: string | null;
            /** @description GTIN */
            readonly gtin: string | null;
        };
        readonly FoundCompany: {
            /** @description Organisation id */
            readonly id: string;
            /** @description Name */
            readonly name: string;
            /** @description GLN */
            readonly gln: string | null;
            /** @description EIP-55 addresses of its wallets */
            readonly wallets: readonly string[];
        };
        readonly FoundDocument: {
            /** @description Type */
            readonly type: string | null;
            /** @description Number */
            readonly number: string | null;
            /** @description Who issued it */
            readonly issuer: string | null;
            /**
             * Format: uuid
             * @description The newest event that has it
             */
            readonly eventId: string;
            /** @description Lots of that event */
            readonly tokenIds: readonly (number | string)[];
        };
        readonly SearchView: {
            /**
             * @description What the text was read as
             * @enum {string}
             */
            readonly readAs: "digital_link" | "element_string" | "sscc" | "gtin" | "text";
            /** @description Lots: the one that is named first */
            readonly lots: readonly components["schemas"]["FoundLot"][];
            /** @description Products */
            readonly products: readonly components["schemas"]["FoundProduct"][];
            /** @description Companies */
            readonly companies: readonly components["schemas"]["FoundCompany"][];
            /** @description Documents of events that the caller may read */
            readonly documents: readonly components["schemas"]["FoundDocument"][];
        };
        readonly ReportAsOfView: {
            /** @description Last block that is included */
            readonly blockNumber: number;
            /** @description Last final block; null before the first one */
            readonly finalBlockNumber: number | null;
        };
        readonly PeriodView: {
            /**
             * Format: date-time
             * @description Included; null = from the beginning
             */
            readonly from: string | null;
            /**
             * Format: date-time
             * @description Excluded; null = open
             */
            readonly to: string | null;
        };
        readonly BySeverityView: {
            /** @description Act now */
            readonly critical: number;
            /** @description Act today */
            readonly high: number;
            /** @description Look into it */
            readonly medium: number;
            /** @description Know it */
            readonly low: number;
        };
        readonly AlertsSummaryView: {
            /** @description Alerts, without muted ones */
            readonly total: number;
            /** @description By severity */
            readonly bySeverity: components["schemas"]["BySeverityView"];
            /** @description Counts by `type`; a type without alerts is absent */
            readonly byType: {
                readonly [key: string]: unknown;
            };
            /** @description 100 without alerts; the same alerts weigh less in a larger stock */
            readonly healthScore: number;
            /** @description Active lots that the score is weighed by */
            readonly activeLots: number;
            /** @description Acknowledged alerts */
            readonly acknowledged: number;
            /**
             * Format: date-time
             * @description Time of the last evaluation; null = none yet
             */
            readonly evaluatedAt: string | null;
            /** @description Block of the last evaluation */
            readonly evaluatedBlock: number | null;
            /** @description False while older data is still to be evaluated */
            readonly complete: boolean;
        };
        readonly InsightView: {
            /** @description Stable id */
            readonly id: string;
            /**
             * @description Highest severity of its alerts
             * @enum {string}
             */
            readonly severity: "critical" | "high" | "medium" | "low";
            /** @description The common problem of the alerts */
            readonly headline: string;
            /** @description Open since, and what to do */
            readonly narrative: string;
            /** @description Some of its alerts, the most severe first; 20 at most */
            readonly relatedAlertIds: readonly string[];
        };
        readonly NarrationView: {
            /** @description Written by a language model from the counts alone */
            readonly text: string;
            /** @description Name of the model */
            readonly model: string;
            /**
             * Format: date-time
             * @description Time of the narration
             */
            readonly writtenAt: string;
        };
        readonly EngineView: {
            /**
             * @description Alerts and insights come from rules
             * @enum {string}
             */
            readonly kind: "rules";
            /**
             * @description Version of the rules
             * @example 1
             */
            readonly version: string;
            /** @description Null without a model, or for a part of the alerts */
            readonly narration: components["schemas"]["NarrationView"] | null;
        };
        readonly AlertsReportView: {
            /** @description Name of the report */
            readonly report: string;
            /**
             * @description Version of the format
             * @example 1
             */
            readonly version: number;
            /** @description Slug of the tenant */
            readonly tenantId: string;
            /**
             * Format: date-time
             * @description Time of the computation
             */
            readonly generatedAt: string;
            /** @description Blocks that the figures are based on */
            readonly asOf: components["schemas"]["ReportAsOfView"];
            /** @description Period */
            readonly period: components["schemas"]["PeriodView"];
            /** @description Organisation; null = all */
            readonly orgId: string | null;
            /** @description Rows per page */
            readonly limit: number;
            /** @description Number of all rows; null if they are not counted */
            readonly total: number | null;
            /** @description There are more rows: continue with `nextCursor` */
            readonly truncated: boolean;
            /** @description Cursor of the next page; null after the last page */
            readonly nextCursor: string | null;
            /** @description Over all rows, not only this page */
            readonly summary: components["schemas"]["AlertsSummaryView"];
            /** @description The rows of this page */
            readonly alerts: readonly components["schemas"]["AlertView"][];
            /** @description Not paged */
            readonly insights: readonly components["schemas"]["InsightView"][];
            /** @description Not paged */
            readonly engine: components["schemas"]["EngineView"];
        };
        readonly KindView: {
            /** @description The target equals the record */
            readonly ok: number;
            /** @description The target differs from the record */
            readonly mismatch: number;
            /** @description The target does not exist */
            readonly unresolved: number;
            /** @description Not checked: other systems are not asked */
            readonly not_checked: number;
        };
        readonly ByKindView: {
            /** @description Stored content of events */
            readonly cid: components["schemas"]["KindView"];
            /** @description Data hashes on chain */
            readonly dataHash: components["schemas"]["KindView"];
            /** @description Transactions */
            readonly tx: components["schemas"]["KindView"];
            /** @description Tokens of lots */
            readonly nft: components["schemas"]["KindView"];
            /** @description Documents of events */
            readonly document: components["schemas"]["KindView"];
            /** @description Identifiers of other systems */
            readonly ext: components["schemas"]["KindView"];
        };
        readonly SweepView: {
            /** @description Events up to this block were checked in this lap */
            readonly eventBlock: number;
            /** @description Lots up to this token were checked in this lap */
            readonly tokenId: number;
            /**
             * Format: date-time
             * @description Begin of this lap over all records
             */
            readonly lapBeganAt: string | null;
            /**
             * Format: date-time
             * @description End of the last complete lap; null = none yet
             */
            readonly lapEndedAt: string | null;
        };
        readonly DataReferenceSummaryView: {
            /** @description Known pointers */
            readonly total: number;
            /** @description Checked pointers */
            readonly checked: number;
            /** @description resolved / checked */
            readonly resolvedRatio: number | null;
            /** @description matches / resolved */
            readonly matchRatio: number | null;
            /** @description Counts by kind */
            readonly byKind: components["schemas"]["ByKindView"];
            /** @description Progress of the background check */
            readonly sweep: components["schemas"]["SweepView"];
        };
        readonly PointingView: {
            /**
             * @description The record with the pointer
             * @enum {string}
             */
            readonly kind: "lot" | "event";
            /** @description Token id or event id */
            readonly id: string;
            /** @description Token id of a lot */
            readonly tokenId: number | null;
            /** @description Code of the lot, or of the main output of the event */
            readonly tlc: string | null;
        };
        readonly PointerView: {
            /** @description Stable: the same pointer of the same record keeps its id */
            readonly pointerId: string;
            /**
             * @description Kind of the pointer
             * @enum {string}
             */
            readonly kind: "cid" | "dataHash" | "tx" | "nft" | "document" | "ext";
            /** @description The record with the pointer */
            readonly subject: components["schemas"]["PointingView"];
            /** @description The CID, hash, token id, identifier or address */
            readonly value: string;
            /** @description The target exists; null = not checked */
            readonly resolved: boolean | null;
            /** @description The target equals the record; null = nothing to compare */
            readonly matches: boolean | null;
            /**
             * @description `mismatch` and `unresolved` are faults
             * @enum {string}
             */
            readonly status: "mismatch" | "unresolved" | "not_checked" | "ok";
            /**
             * Format: date-time
             * @description Time of the last check
             */
            readonly checkedAt: string;
            /** @description Duration of the request, ms; null = no request */
            readonly latencyMs: number | null;
            /** @description The result in a sentence */
            readonly detail: string;
        };
        readonly DataReferenceReportView: {
            /** @description Name of the report */
            readonly report: string;
            /**
             * @description Version of the format
             * @example 1
             */
            readonly version: number;
            /** @description Slug of the tenant */
            readonly tenantId: string;
            /**
             * Format: date-time
             * @description Time of the computation
             */
            readonly generatedAt: string;
            /** @description Blocks that the figures are based on */
            readonly asOf: components["schemas"]["ReportAsOfView"];
            /** @description Period */
            readonly period: components["schemas"]["PeriodView"];
            /** @description Organisation; null = all */
            readonly orgId: string | null;
            /** @description Rows per page */
            readonly limit: number;
            /** @description Number of all rows; null if they are not counted */
            readonly total: number | null;
            /** @description There are more rows: continue with `nextCursor` */
            readonly truncated: boolean;
            /** @description Cursor of the next page; null after the last page */
            readonly nextCursor: string | null;
            /** @description Over all rows, not only this page */
            readonly summary: components["schemas"]["DataReferenceSummaryView"];
            /** @description The rows of this page */
            readonly pointers: readonly components["schemas"]["PointerView"][];
        };
        readonly DocumentsSummaryView: {
            /** @description Number of documents */
            readonly documents: number;
            /**
             * @description Documents by type
             * @example {
             *       "BILL_OF_LADING": 1
             *     }
             */
            readonly byType: {
                readonly [key: string]: unknown;
            };
            /**
             * @description Documents by status
             * @example {
             *       "undated": 2,
             *       "valid": 1
             *     }
             */
            readonly byStatus: {
                readonly [key: string]: unknown;
            };
            /** @description Documents whose events state different hashes */
            readonly conflicts: number;
            /** @description Documents that processes require for their events */
            readonly required: number;
            /** @description Required documents that are present */
            readonly present: number;
            /** @description Required documents that are missing; see `missing` */
            readonly missing: number;
            /** @description present / required; null if nothing is required */
            readonly coverage: number | null;
            /** @description There are more than the 1000 in `missing` */
            readonly missingTruncated: boolean;
        };
        readonly UseView: {
            /** @description Event that refers to the document */
            readonly eventId: string;
            /** @description Process of the event */
            readonly processType: string | null;
            /** @description Lots of the event */
            readonly tokenIds: readonly number[];
            /** @description Codes of the lots */
            readonly tlcs: readonly string[];
        };
        readonly DocumentView: {
            /** @description sha-256 of `type|number|issuer`, lower-case hex */
            readonly documentKey: string;
            /** @description As stated by the events */
            readonly type: string | null;
            /** @description Number */
            readonly number: string | null;
            /** @description Issuer */
            readonly issuer: string | null;
            /** @description First day */
            readonly validFrom: string | null;
            /** @description Last day: the latest that an event states */
            readonly validTo: string | null;
            /**
             * @description As of today (UTC); expiring: within 30 days
             * @enum {string}
             */
            readonly status: "valid" | "expiring" | "expired" | "undated";
            /** @description Content identifier */
            readonly cid: string | null;
            /** @description Address of the file */
            readonly url: string | null;
            /** @description Hash of the file, lower-case hex */
            readonly sha256: string | null;
            /** @description `public`, `restricted` or `authority` */
            readonly visibility: string | null;
            /**
             * @description Whether the file has the stated hash, by the last check of data references
             * @enum {string}
             */
            readonly verification: "verified" | "mismatch" | "unresolved" | "not_checked";
            /** @description Events state different hashes for this type and number */
            readonly conflict: boolean;
            /** @description Events that refer to it */
            readonly uses: number;
            /** @description The newest 100 uses */
            readonly usedBy: readonly components["schemas"]["UseView"][];
        };
        readonly MissingView: {
            /** @description Event without a document that its process requires */
            readonly eventId: string;
            /** @description Process of the event */
            readonly processType: string;
            /** @description Type of the missing document */
            readonly type: string;
        };
        readonly DocumentsReportView: {
            /** @description Name of the report */
            readonly report: string;
            /**
             * @description Version of the format
             * @example 1
             */
            readonly version: number;
            /** @description Slug of the tenant */
            readonly tenantId: string;
            /**
             * Format: date-time
             * @description Time of the computation
             */
            readonly generatedAt: string;
            /** @description Blocks that the figures are based on */
            readonly asOf: components["schemas"]["ReportAsOfView"];
            /** @description Period */
            readonly period: components["schemas"]["PeriodView"];
            /** @description Organisation; null = all */
            readonly orgId: string | null;
            /** @description Rows per page */
            readonly limit: number;
            /** @description Number of all rows; null if they are not counted */
            readonly total: number | null;
            /** @description There are more rows: continue with `nextCursor` */
            readonly truncated: boolean;
            /** @description Cursor of the next page; null after the last page */
            readonly nextCursor: string | null;
            /** @description Over all rows, not only this page */
            readonly summary: components["schemas"]["DocumentsSummaryView"];
            /** @description The rows of this page */
            readonly documents: readonly components["schemas"]["DocumentView"][];
            /** @description Not paged */
            readonly missing: readonly components["schemas"]["MissingView"][];
        };
        readonly SheetSummaryView: {
            /** @description Rows of this page */
            readonly rows: number;
            /** @description Events of this page */
            readonly events: number;
        };
        readonly SheetRowView: {
            /** @description Key data elements without a column of their own in every sheet: by the names in the process maps */
            readonly kdes: {
                readonly [key: string]: unknown;
            };
            /** @description Event ID */
            readonly eventId: string | null;
            /** @description CTE */
            readonly cte: string | null;
            /** @description Event date */
            readonly eventDate: string | null;
            /** @description Event time zone */
            readonly eventTimeZone: string | null;
            /** @description TLC */
            readonly tlc: string | null;
            /** @description Internal lot code */
            readonly internalLotCode: string | null;
            /** @description Product description */
            readonly productDescription: string | null;
            /** @description GTIN */
            readonly gtin: string | null;
            /** @description Quantity */
            readonly quantity: number | null;
            /** @description Unit */
            readonly unit: string | null;
            /** @description Location name */
            readonly locationName: string | null;
            /** @description Location phone */
            readonly locationPhone: string | null;
            /** @description Location street */
            readonly locationStreet: string | null;
            /** @description Location city */
            readonly locationCity: string | null;
            /** @description Location region */
            readonly locationRegion: string | null;
            /** @description Location postal code */
            readonly locationPostalCode: string | null;
            /** @description Location country */
            readonly locationCountry: string | null;
            /** @description Previous source name */
            readonly previousSourceName: string | null;
            /** @description Previous source phone */
            readonly previousSourcePhone: string | null;
            /** @description Previous source street */
            readonly previousSourceStreet: string | null;
            /** @description Previous source city */
            readonly previousSourceCity: string | null;
            /** @description Previous source region */
            readonly previousSourceRegion: string | null;
            /** @description Previous source postal code */
            readonly previousSourcePostalCode: string | null;
            /** @description Previous source country */
            readonly previousSourceCountry: string | null;
            /** @description Subsequent recipient name */
            readonly subsequentRecipientName: string | null;
            /** @description Subsequent recipient phone */
            readonly subsequentRecipientPhone: string | null;
            /** @description Subsequent recipient street */
            readonly subsequentRecipientStreet: string | null;
            /** @description Subsequent recipient city */
            readonly subsequentRecipientCity: string | null;
            /** @description Subsequent recipient region */
            readonly subsequentRecipientRegion: string | null;
            /** @description Subsequent recipient postal code */
            readonly subsequentRecipientPostalCode: string | null;
            /** @description Subsequent recipient country */
            readonly subsequentRecipientCountry: string | null;
            /** @description TLC source name */
            readonly tlcSourceName: string | null;
            /** @description TLC source phone */
            readonly tlcSourcePhone: string | null;
            /** @description TLC source street */
            readonly tlcSourceStreet: string | null;
            /** @description TLC source city */
            readonly tlcSourceCity: string | null;
            /** @description TLC source region */
            readonly tlcSourceRegion: string | null;
            /** @description TLC source postal code */
            readonly tlcSourcePostalCode: string | null;
            /** @description TLC source country */
            readonly tlcSourceCountry: string | null;
            /** @description TLC source reference */
            readonly tlcSourceReference: string | null;
            /** @description Reference document type */
            readonly referenceDocumentType: string | null;
            /** @description Reference document number */
            readonly referenceDocumentNumber: string | null;
            /** @description Commodity */
            readonly commodity: string | null;
            /** @description Variety */
            readonly variety: string | null;
            /** @description Species or market name */
            readonly species: string | null;
            /** @description Farm name */
            readonly farmName: string | null;
            /** @description Farm phone */
            readonly farmPhone: string | null;
            /** @description Farm street */
            readonly farmStreet: string | null;
            /** @description Farm city */
            readonly farmCity: string | null;
            /** @description Farm region */
            readonly farmRegion: string | null;
            /** @description Farm postal code */
            readonly farmPostalCode: string | null;
            /** @description Farm country */
            readonly farmCountry: string | null;
            /** @description Field name */
            readonly fieldName: string | null;
            /** @description Growing container name */
            readonly growingContainer: string | null;
            /** @description Harvester name */
            readonly harvesterName: string | null;
            /** @description Harvester phone */
            readonly harvesterPhone: string | null;
            /** @description Harvest date */
            readonly harvestDate: string | null;
            /** @description Last harvest date */
            readonly harvestDateEnd: string | null;
            /** @description Harvest locations */
            readonly catchLocations: string | null;
            /** @description Cooling location name */
            readonly coolingLocationName: string | null;
            /** @description Cooling location phone */
            readonly coolingLocationPhone: string | null;
            /** @description Cooling location street */
            readonly coolingLocationStreet: string | null;
            /** @description Cooling location city */
            readonly coolingLocationCity: string | null;
            /** @description Cooling location region */
            readonly coolingLocationRegion: string | null;
            /** @description Cooling location postal code */
            readonly coolingLocationPostalCode: string | null;
            /** @description Cooling location country */
            readonly coolingLocationCountry: string | null;
            /** @description Cooling date */
            readonly coolingDate: string | null;
            /** @description Date received */
            readonly dateReceived: string | null;
            /** @description Quantity received */
            readonly quantityReceived: number | null;
            /** @description Quantity received unit */
            readonly unitReceived: string | null;
            /** @description Packing date */
            readonly packingDate: string | null;
            /** @description Landing date */
            readonly landingDate: string | null;
            /** @description Shipping date */
            readonly shippingDate: string | null;
            /** @description Transformation date */
            readonly transformationDate: string | null;
            /** @description Input TLC */
            readonly inputTlc: string | null;
            /** @description Input product */
            readonly inputProduct: string | null;
            /** @description Input quantity */
            readonly inputQuantity: number | null;
            /** @description Input unit */
            readonly inputUnit: string | null;
        };
        readonly Fsma204ReportView: {
            /** @description Name of the report */
            readonly report: string;
            /**
             * @description Version of the format
             * @example 1
             */
            readonly version: number;
            /** @description Slug of the tenant */
            readonly tenantId: string;
            /**
             * Format: date-time
             * @description Time of the computation
             */
            readonly generatedAt: string;
            /** @description Blocks that the figures are based on */
            readonly asOf: components["schemas"]["ReportAsOfView"];
            /** @description Period */
            readonly period: components["schemas"]["PeriodView"];
            /** @description Organisation; null = all */
            readonly orgId: string | null;
            /** @description Rows per page */
            readonly limit: number;
            /** @description Number of all rows; null if they are not counted */
            readonly total: number | null;
            /** @description There are more rows: continue with `nextCursor` */
            readonly truncated: boolean;
            /** @description Cursor of the next page; null after the last page */
            readonly nextCursor: string | null;
            /** @description Over all rows, not only this page */
            readonly summary: components["schemas"]["SheetSummaryView"];
            /** @description The rows of this page */
            readonly rows: readonly components["schemas"]["SheetRowView"][];
        };
        readonly InventorySummaryView: {
            /** @description Lots in stock, without containers, with the contents of containers */
            readonly lots: number;
            /**
             * @description Remaining quantity by unit (UNECE Rec 20)
             * @example {
             *       "KGM": 1401,
             *       "H87": 1400
             *     }
             */
            readonly quantity: {
                readonly [key: string]: unknown;
            };
            /** @description Mass of the lots with a known mass, kg; null if there are none */
            readonly massKg: number | null;
            /** @description Lots without a quantity, a unit or a mass; not in massKg */
            readonly unmeasuredLots: number;
            /**
             * @description Lots by status
             * @example {
             *       "active": 3
             *     }
             */
            readonly byStatus: {
                readonly [key: string]: unknown;
            };
            /**
             * @description Mass by status, kg, of the lots with a known mass
             * @example {
             *       "active": 1401
             *     }
             */
            readonly massByStatus: {
                readonly [key: string]: unknown;
            };
            /** @description Recalled lots */
            readonly recalledLots: number;
            /** @description Lots past their date, whatever their status */
            readonly expiredLots: number;
            /**
             * Format: date-time
             * @description Earliest date of the lots
             */
            readonly earliestExpiry: string | null;
            /** @description Age of the oldest lot (by createdAt), s */
            readonly oldestLotAgeSeconds: number | null;
            /** @description Part of massKg that is offered to somebody else and not accepted yet, kg */
            readonly inTransitOutKg: number;
            /** @description On its way to this place, not in massKg, kg */
            readonly inTransitInKg: number;
            /** @description Number of places */
            readonly locations: number;
        };
        readonly CustodianView: {
            /** @description EIP-55 address */
            readonly address: string;
            /** @description Name of the custodian */
            readonly label: string;
            /**
             * @description Kind of the label
             * @enum {string}
             */
            readonly labelKind: "organization" | "facility" | "user" | "partner" | "contract" | "address";
        };
        readonly StockItemView: {
            /** @description Lots in stock, without containers, with the contents of containers */
            readonly lots: number;
            /**
             * @description Remaining quantity by unit (UNECE Rec 20)
             * @example {
             *       "KGM": 1401,
             *       "H87": 1400
             *     }
             */
            readonly quantity: {
                readonly [key: string]: unknown;
            };
            /** @description Mass of the lots with a known mass, kg; null if there are none */
            readonly massKg: number | null;
            /** @description Lots without a quantity, a unit or a mass; not in massKg */
            readonly unmeasuredLots: number;
            /**
             * @description Lots by status
             * @example {
             *       "active": 3
             *     }
             */
            readonly byStatus: {
                readonly [key: string]: unknown;
            };
            /**
             * @description Mass by status, kg, of the lots with a known mass
             * @example {
             *       "active": 1401
             *     }
             */
            readonly massByStatus: {
                readonly [key: string]: unknown;
            };
            /** @description Recalled lots */
            readonly recalledLots: number;
            /** @description Lots past their date, whatever their status */
            readonly expiredLots: number;
            /**
             * Format: date-time
             * @description Earliest date of the lots
             */
            readonly earliestExpiry: string | null;
            /** @description Age of the oldest lot (by createdAt), s */
            readonly oldestLotAgeSeconds: number | null;
            /** @description Part of massKg that is offered to somebody else and not accepted yet, kg */
            readonly inTransitOutKg: number;
            /** @description On its way to this place, not in massKg, kg */
            readonly inTransitInKg: number;
            /** @description Key of the process map; null if unknown */
            readonly assetType: string | null;
            /** @description Name of the asset type */
            readonly assetTypeName: string | null;
        };
        readonly StockTotalsView: {
            /** @description Lots in stock, without containers, with the contents of containers */
            readonly lots: number;
            /**
             * @description Remaining quantity by unit (UNECE Rec 20)
             * @example {
             *       "KGM": 1401,
             *       "H87": 1400
             *     }
             */
            readonly quantity: {
                readonly [key: string]: unknown;
            };
            /** @description Mass of the lots with a known mass, kg; null if there are none */
            readonly massKg: number | null;
            /** @description Lots without a quantity, a unit or a mass; not in massKg */
            readonly unmeasuredLots: number;
            /**
             * @description Lots by status
             * @example {
             *       "active": 3
             *     }
             */
            readonly byStatus: {
                readonly [key: string]: unknown;
            };
            /**
             * @description Mass by status, kg, of the lots with a known mass
             * @example {
             *       "active": 1401
             *     }
             */
            readonly massByStatus: {
                readonly [key: string]: unknown;
            };
            /** @description Recalled lots */
            readonly recalledLots: number;
            /** @description Lots past their date, whatever their status */
            readonly expiredLots: number;
            /**
             * Format: date-time
             * @description Earliest date of the lots
             */
            readonly earliestExpiry: string | null;
            /** @description Age of the oldest lot (by createdAt), s */
            readonly oldestLotAgeSeconds: number | null;
            /** @description Part of massKg that is offered to somebody else and not accepted yet, kg */
            readonly inTransitOutKg: number;
            /** @description On its way to this place, not in massKg, kg */
            readonly inTransitInKg: number;
        };
        readonly StockPlaceView: {
            /** @description GS1 Digital Link of the GLN, or another identifier; `unknown` if no event and no site states one */
            readonly locationKey: string;
            /** @description `{ id, gln, name, street, city, region, postalCode, country, geo }` as known */
            readonly location: {
                readonly [key: string]: unknown;
            } | null;
            /** @description Custodians of lots at this place */
            readonly custodians: readonly components["schemas"]["CustodianView"][];
            /** @description By asset type */
            readonly items: readonly components["schemas"]["StockItemView"][];
            /** @description Over all items */
            readonly totals: components["schemas"]["StockTotalsView"];
        };
        readonly InventoryReportView: {
            /** @description Name of the report */
            readonly report: string;
            /**
             * @description Version of the format
             * @example 1
             */
            readonly version: number;
            /** @description Slug of the tenant */
            readonly tenantId: string;
            /**
             * Format: date-time
             * @description Time of the computation
             */
            readonly generatedAt: string;
            /** @description Blocks that the figures are based on */
            readonly asOf: components["schemas"]["ReportAsOfView"];
            /** @description Period */
            readonly period: components["schemas"]["PeriodView"];
            /** @description Organisation; null = all */
            readonly orgId: string | null;
            /** @description Rows per page */
            readonly limit: number;
            /** @description Number of all rows; null if they are not counted */
            readonly total: number | null;
            /** @description There are more rows: continue with `nextCursor` */
            readonly truncated: boolean;
            /** @description Cursor of the next page; null after the last page */
            readonly nextCursor: string | null;
            /** @description Over all rows, not only this page */
            readonly summary: components["schemas"]["InventorySummaryView"];
            /** @description The rows of this page */
            readonly locations: readonly components["schemas"]["StockPlaceView"][];
        };
        readonly PlacesSummaryView: {
            /** @description Sites */
            readonly sites: number;
            /** @description Plots of land */
            readonly plots: number;
            /** @description Other places */
            readonly others: number;
            /** @description Places without a position */
            readonly withoutPosition: number;
            /** @description Events that were read: the newest of the period */
            readonly eventsRead: number;
            /** @description There are older events, or more places, that were not read: choose a shorter period */
            readonly incomplete: boolean;
        };
        readonly PlaceView: {
            /** @description GS1 Digital Link of the GLN, another identifier, or the name; a plot has a digest of what was recorded of it */
            readonly placeKey: string;
            /**
             * @description A site of an organisation, a plot of land, or another place that events state
             * @enum {string}
             */
            readonly kind: "site" | "plot" | "place";
            /** @description Name, or id of a plot */
            readonly name: string | null;
            /** @description ISO 3166-1 */
            readonly country: string | null;
            /** @description Longitude and latitude; the middle of the country where only that is known; null where nothing is */
            readonly position: readonly number[] | null;
            /** @description Whether the position was recorded; false for the middle of a country */
            readonly exact: boolean;
            /** @description GeoJSON of a plot, as it was recorded, if it has at most 1000 positions */
            readonly geometry: {
                readonly [key: string]: unknown;
            } | null;
            /** @description Declared area of a plot, ha */
            readonly areaHa: number | null;
            /** @description Names of the organisations whose site it is, or that recorded its events */
            readonly organisations: readonly string[];
            /** @description Process types of its events */
            readonly processTypes: readonly string[];
            /** @description Events of the period that state it */
            readonly events: number;
            /**
             * Format: date-time
             * @description Earliest of its events
             */
            readonly firstAt: string | null;
            /**
             * Format: date-time
             * @description Latest of its events
             */
            readonly lastAt: string | null;
        };
        readonly PlacesReportView: {
            /** @description Name of the report */
            readonly report: string;
            /**
             * @description Version of the format
             * @example 1
             */
            readonly version: number;
            /** @description Slug of the tenant */
            readonly tenantId: string;
            /**
             * Format: date-time
             * @description Time of the computation
             */
            readonly generatedAt: string;
            /** @description Blocks that the figures are based on */
            readonly asOf: components["schemas"]["ReportAsOfView"];
            /** @description Period */
            readonly period: components["schemas"]["PeriodView"];
            /** @description Organisation; null = all */
            readonly orgId: string | null;
            /** @description Rows per page */
            readonly limit: number;
            /** @description Number of all rows; null if they are not counted */
            readonly total: number | null;
            /** @description There are more rows: continue with `nextCursor` */
            readonly truncated: boolean;
            /** @description Cursor of the next page; null after the last page */
            readonly nextCursor: string | null;
            /** @description Over all rows, not only this page */
            readonly summary: components["schemas"]["PlacesSummaryView"];
            /** @description The rows of this page */
            readonly places: readonly components["schemas"]["PlaceView"][];
        };
        readonly SponsorshipSummaryView: {
            /** @description Relays */
            readonly batches: number;
            /** @description Calls in them */
            readonly calls: number;
            /** @description Wei, decimal */
            readonly wei: string;
        };
        readonly SponsoredKeyView: {
            /** @description EIP-55 address of the account that acted */
            readonly account: string;
            /** @description What its wallet is called */
            readonly label: string | null;
            /** @description Its organisation */
            readonly orgId: string | null;
            /** @description Name of the organisation */
            readonly orgName: string | null;
            /** @description Id of the passkey that signed, base64url */
            readonly signedBy: string;
            /** @description EIP-55 address of the sponsor who paid */
            readonly paidBy: string;
            /** @description Relays */
            readonly batches: number;
            /** @description Calls in them */
            readonly calls: number;
            /** @description Relays that a block has */
            readonly mined: number;
            /** @description Relays that failed on chain, and cost all the same */
            readonly reverted: number;
            /** @description Relays that were not sent in time, or would have failed */
            readonly notSent: number;
            /** @description Relays on their way */
            readonly underway: number;
            /** @description Wei, decimal: what they cost, deployments included */
            readonly wei: string;
        };
        readonly SponsorshipReportView: {
            /** @description Name of the report */
            readonly report: string;
            /**
             * @description Version of the format
             * @example 1
             */
            readonly version: number;
            /** @description Slug of the tenant */
            readonly tenantId: string;
            /**
             * Format: date-time
             * @description Time of the computation
             */
            readonly generatedAt: string;
            /** @description Blocks that the figures are based on */
            readonly asOf: components["schemas"]["ReportAsOfView"];
            /** @description Period */
            readonly period: components["schemas"]["PeriodView"];
            /** @description Organisation; null = all */
            readonly orgId: string | null;
            /** @description Rows per page */
            readonly limit: number;
            /** @description Number of all rows; null if they are not counted */
            readonly total: number | null;
            /** @description There are more rows: continue with `nextCursor` */
            readonly truncated: boolean;
            /** @description Cursor of the next page; null after the last page */
            readonly nextCursor: string | null;
            /** @description Over all rows, not only this page */
            readonly summary: components["schemas"]["SponsorshipSummaryView"];
            /** @description The rows of this page */
            readonly passkeys: readonly components["schemas"]["SponsoredKeyView"][];
        };
        readonly SuppliersSummaryView: {
            /** @description Number of organisations */
            readonly organizations: number;
            /** @description Transferred between organisations, kg */
            readonly massSuppliedKg: number;
        };
        readonly CountsView: {
            /** @description Events that the organisation recorded */
            readonly events: number;
            /** @description Lots that these events made, without containers */
            readonly lots: number;
            /** @description Completed transfers to other organisations; a container counts as one */
            readonly transfersOut: number;
            /** @description Transfers to others that were accepted or rejected; one accepted in part is one accepted transfer */
            readonly answered: number;
            /** @description Accepted transfers */
            readonly accepted: number;
            /** @description Events with an event time */
            readonly timedEvents: number;
            /** @description Events of processes that require key data elements */
            readonly kdeEvents: number;
            /** @description Events of processes that require documents */
            readonly documentEvents: number;
            /** @description Events whose mass balance can be judged */
            readonly transformations: number;
            /** @description Data references that resolved at their last check */
            readonly pointers: number;
        };
        readonly MetricsView: {
            /** @description accepted / (accepted + rejected), by transfer: one of which less was taken than offered counts with the share of its quantity that was taken (ratio); null without observations */
            readonly acceptanceRate: number | null;
            /** @description accepted within custodyAcceptWithin of the process map / accepted (ratio); null without observations */
            readonly onTimeAcceptance: number | null;
            /** @description median wait of accepted transfers (s); null without observations */
            readonly medianPendingSeconds: number | null;
            /** @description 95th percentile of the wait of accepted transfers (s); null without observations */
            readonly p95PendingSeconds: number | null;
            /** @description events recorded within lateAfter of the process map / events (ratio); null without observations */
            readonly recordingOnTime: number | null;
            /** @description from the event time to the recording (s); null without observations */
            readonly medianRecordingDelaySeconds: number | null;
            /** @description Σ present / Σ required key data elements (ratio); null without observations */
            readonly kdeCompleteness: number | null;
            /** @description required documents present / required (ratio); null without observations */
            readonly documentCoverage: number | null;
            /** @description data references that match / resolved, at their last check (ratio); null without observations */
            readonly pointerMatch: number | null;
            /** @description 1 − breaches / transformations (ratio); null without observations */
            readonly massBalanceConformity: number | null;
            /** @description lots recalled for their own defect / lots made (ratio); null without observations */
            readonly recallRate: number | null;
            /** @description lots that a recall affects / lots made (ratio); null without observations */
            readonly affectedRate: number | null;
            /** @description mean over the processes of own yield / yield of the tenant (ratio); null without observations */
            readonly yieldIndex: number | null;
            /** @description gate to gate, by mass of the main output (kgCO2e/kg); null without observations */
            readonly carbonPerKg: number | null;
        };
        readonly SupplierView: {
            /** @description Organisation */
            readonly orgId: string;
            /** @description Name */
            readonly name: string;
            /** @description ISO 17442 */
            readonly lei: string | null;
            /** @description GS1 global location number */
            readonly gln: string | null;
            /** @description Numbers of observations */
            readonly n: components["schemas"]["CountsView"];
            /** @description Transferred to other organisations, lots with a known mass, kg */
            readonly massSuppliedKg: number;
            /** @description docs/spec/domain.md#suppliers */
            readonly metrics: components["schemas"]["MetricsView"];
            /** @description 0 to 100, over metrics with at least five observations; null without a grade */
            readonly score: number | null;
            /** @description A from 90, B from 75, C from 60, D below; null with a reason */
            readonly grade: string | null;
            /**
             * @description Why there is no grade. `nothing_supplied`: it transferred nothing to another organisation; `too_few_observations`: metrics with at least five observations carry less than half of the weight
             * @enum {string|null}
             */
            readonly gradeReason: "nothing_supplied" | "too_few_observations" | null;
        };
        readonly SuppliersReportView: {
            /** @description Name of the report */
            readonly report: string;
            /**
             * @description Version of the format
             * @example 1
             */
            readonly version: number;
            /** @description Slug of the tenant */
            readonly tenantId: string;
            /**
             * Format: date-time
             * @description Time of the computation
             */
            readonly generatedAt: string;
            /** @description Blocks that the figures are based on */
            readonly asOf: components["schemas"]["ReportAsOfView"];
            /** @description Period */
            readonly period: components["schemas"]["PeriodView"];
            /** @description Organisation; null = all */
            readonly orgId: string | null;
            /** @description Rows per page */
            readonly limit: number;
            /** @description Number of all rows; null if they are not counted */
            readonly total: number | null;
            /** @description There are more rows: continue with `nextCursor` */
            readonly truncated: boolean;
            /** @description Cursor of the next page; null after the last page */
            readonly nextCursor: string | null;
            /** @description Over all rows, not only this page */
            readonly summary: components["schemas"]["SuppliersSummaryView"];
            /** @description The rows of this page */
            readonly organizations: readonly components["schemas"]["SupplierView"][];
        };
        readonly TrendsSummaryView: {
            /** @description Recorded events */
            readonly events: number;
            /** @description Lots that they made; containers do not count */
            readonly lots: number;
            /** @description Mass of the lots that they made, kg, where it is known */
            readonly recordedKg: number;
            /** @description Events that made a lot without a known mass; not in recordedKg */
            readonly unweighedEvents: number;
            /** @description Inputs of measured transformations, kg */
            readonly inputKg: number;
            /** @description Main output of measured transformations, kg */
            readonly mainOutputKg: number;
            /** @description Σ main output / Σ input of all processes; null without a measured transformation */
            readonly yield: number | null;
            /** @description Completed transfers */
            readonly transfers: number;
            /** @description Rejected transfers */
            readonly rejectedTransfers: number;
            /** @description Recalls */
            readonly recalls: number;
            /** @description Lots that they recalled */
            readonly recalledLots: number;
        };
        readonly TrendPeriodView: {
            /** @description Recorded events */
            readonly events: number;
            /** @description Lots that they made; containers do not count */
            readonly lots: number;
            /** @description Mass of the lots that they made, kg, where it is known */
            readonly recordedKg: number;
            /** @description Events that made a lot without a known mass; not in recordedKg */
            readonly unweighedEvents: number;
            /** @description Inputs of measured transformations, kg */
            readonly inputKg: number;
            /** @description Main output of measured transformations, kg */
            readonly mainOutputKg: number;
            /** @description Σ main output / Σ input of all processes; null without a measured transformation */
            readonly yield: number | null;
            /** @description Completed transfers */
            readonly transfers: number;
            /** @description Rejected transfers */
            readonly rejectedTransfers: number;
            /** @description Recalls */
            readonly recalls: number;
            /** @description Lots that they recalled */
            readonly recalledLots: number;
            /**
             * Format: date
             * @description First day, UTC; weeks begin on Monday
             * @example 2026-09-01
             */
            readonly start: string;
        };
        readonly TrendsReportView: {
            /** @description Name of the report */
            readonly report: string;
            /**
             * @description Version of the format
             * @example 1
             */
            readonly version: number;
            /** @description Slug of the tenant */
            readonly tenantId: string;
            /**
             * Format: date-time
             * @description Time of the computation
             */
            readonly generatedAt: string;
            /** @description Blocks that the figures are based on */
            readonly asOf: components["schemas"]["ReportAsOfView"];
            /** @description Period */
            readonly period: components["schemas"]["PeriodView"];
            /** @description Organisation; null = all */
            readonly orgId: string | null;
            /** @description Rows per page */
            readonly limit: number;
            /** @description Number of all rows; null if they are not counted */
            readonly total: number | null;
            /** @description There are more rows: continue with `nextCursor` */
            readonly truncated: boolean;
            /** @description Cursor of the next page; null after the last page */
            readonly nextCursor: string | null;
            /** @description Over all rows, not only this page */
            readonly summary: components["schemas"]["TrendsSummaryView"];
            /** @description The rows of this page */
            readonly periods: readonly components["schemas"]["TrendPeriodView"][];
        };
        readonly YieldSummaryView: {
            /** @description Processes with events in the period */
            readonly processes: number;
            /** @description Measured events */
            readonly n: number;
            /** @description Events with a lot without a mass */
            readonly unmeasured: number;
            /** @description Events outside the expected range, or far from the others */
            readonly outlierCount: number;
            /** @description Σ finished goods / Σ raw materials in them, by mass share; null if not all inputs are known */
            readonly finishedPerRaw: number | null;
            /** @description There are more routes than the 100 in `chains` */
            readonly chainsTruncated: boolean;
        };
        readonly DistributionView: {
            /** @description Least */
            readonly min: number | null;
            /** @description 10th percentile */
            readonly p10: number | null;
            /** @description Median */
            readonly median: number | null;
            /** @description 90th percentile */
            readonly p90: number | null;
            /** @description Most */
            readonly max: number | null;
            /** @description Mean of the events, not weighted */
            readonly mean: number | null;
            /** @description Sample standard deviation; null for fewer than two events */
            readonly sd: number | null;
        };
        readonly RangeView: {
            /** @description Least yield that the process map expects */
            readonly min: number;
            /** @description Greatest yield that the process map expects */
            readonly max: number;
        };
        readonly OutlierView: {
            /** @description Event */
            readonly eventId: string;
            /** @description Code of its main output */
            readonly outputTlc: string | null;
            /** @description Main output / input */
            readonly yield: number;
            /** @description 0.6745 × (yield − median) / MAD; null for fewer than 8 events, or if the MAD is zero */
            readonly z: number | null;
        };
        readonly MonthView: {
            /**
             * @description Calendar month of the event time, UTC
             * @example 2026-09
             */
            readonly month: string;
            /** @description Measured events */
            readonly n: number;
            /** @description Used inputs, kg */
            readonly inputKg: number;
            /** @description Main output, kg */
            readonly mainOutputKg: number;
            /** @description Σ main output / Σ input */
            readonly yield: number | null;
        };
        readonly ProcessYieldView: {
            /** @description Process; null for events without a process of a map */
            readonly processType: string | null;
            /** @description Label in the process map */
            readonly label: string | null;
            /** @description Measured events */
            readonly n: number;
            /** @description Events with a lot without a mass; not in the figures */
            readonly unmeasured: number;
            /** @description Used inputs, kg */
            readonly inputKg: number;
            /** @description Main output, kg */
            readonly mainOutputKg: number;
            /** @description Co-products, kg */
            readonly coProductKg: number;
            /** @description Declared losses, kg */
            readonly declaredLossKg: number;
            /** @description Input minus outputs and losses, kg: the unexplained difference */
            readonly gapKg: number;
            /** @description Σ main output / Σ input */
            readonly yield: number | null;
            /** @description Σ (main output + co-products) / Σ input */
            readonly materialYield: number | null;
            /** @description gapKg / inputKg */
            readonly gapRatio: number | null;
            /** @description Yields of the events */
            readonly distribution: components["schemas"]["DistributionView"];
            /** @description Of the newest event; null if the map expects none */
            readonly expected: components["schemas"]["RangeView"] | null;
            /** @description Events outside the expected range, or far from the others (|z| > 3.5) */
            readonly outlierCount: number;
            /** @description The farthest 100 outliers */
            readonly outliers: readonly components["schemas"]["OutlierView"][];
            /** @description By month */
            readonly byMonth: readonly components["schemas"]["MonthView"][];
        };
        readonly YieldChainView: {
            /** @description First process */
            readonly from: string;
            /** @description Last process */
            readonly to: string;
            /** @description All processes of the route */
            readonly route: readonly string[];
            /** @description Product of the yields along the route */
            readonly rolledYield: number | null;
            /** @description The smallest amount between two consecutive processes, kg */
            readonly throughKg: number;
        };
        readonly YieldFlowView: {
            /** @description Process that made the lots, also one that uses none; null if it is not known or not visible */
            readonly from: string | null;
            /** @description Process that used them */
            readonly to: string;
            /** @description What was used, kg */
            readonly kg: number;
        };
        readonly YieldReportView: {
            /** @description Name of the report */
            readonly report: string;
            /**
             * @description Version of the format
             * @example 1
             */
            readonly version: number;
            /** @description Slug of the tenant */
            readonly tenantId: string;
            /**
             * Format: date-time
             * @description Time of the computation
             */
            readonly generatedAt: string;
            /** @description Blocks that the figures are based on */
            readonly asOf: components["schemas"]["ReportAsOfView"];
            /** @description Period */
            readonly period: components["schemas"]["PeriodView"];
            /** @description Organisation; null = all */
            readonly orgId: string | null;
            /** @description Rows per page */
            readonly limit: number;
            /** @description Number of all rows; null if they are not counted */
            readonly total: number | null;
            /** @description There are more rows: continue with `nextCursor` */
            readonly truncated: boolean;
            /** @description Cursor of the next page; null after the last page */
            readonly nextCursor: string | null;
            /** @description Over all rows, not only this page */
            readonly summary: components["schemas"]["YieldSummaryView"];
            /** @description The rows of this page */
            readonly processes: readonly components["schemas"]["ProcessYieldView"][];
            /** @description Not paged */
            readonly chains: readonly components["schemas"]["YieldChainView"][];
            /** @description Not paged */
            readonly flows: readonly components["schemas"]["YieldFlowView"][];
        };
        readonly TopicView: {
            /**
             * @description The name that `events` of a subscription takes
             * @enum {string}
             */
            readonly topic: "event.recorded" | "event.retracted" | "nft.created" | "nft.recalled" | "recall.acknowledged" | "custody.offered" | "custody.transferred" | "custody.rejected" | "transaction.confirmed" | "transaction.failed" | "import.finished" | "webhook.test";
            /** @description When it is published */
            readonly description: string;
            /** @description JSON Schema 2020-12 of the whole body */
            readonly schema: {
                readonly [key: string]: unknown;
            };
            /** @description A body */
            readonly example: {
                readonly [key: string]: unknown;
            };
        };
        readonly PausedView: {
            /**
             * Format: date-time
             * @description Since when
             */
            readonly since: string;
            /** @description Why */
            readonly reason: string;
        };
        readonly WebhookView: {
            /**
             * Format: uuid
             * @description Id
             */
            readonly id: string;
            /** @description Receiver */
            readonly url: string;
            /** @description Topics and families of topics */
            readonly events: readonly string[];
            /** @description Changed by PATCH only */
            readonly active: boolean;
            /**
             * Format: date-time
             * @description Created
             */
            readonly createdAt: string;
            /** @description Set while the service holds deliveries back; lifted by resume */
            readonly paused: components["schemas"]["PausedView"] | null;
        };
        readonly RegisterWebhookBody: {
            /**
             * @description Where deliveries go; it must answer now. HTTPS is recommended.
             * @example https://example.com/hooks/trace
             */
            readonly url: string;
            /**
             * @description Topics, families of them (`custody.*`), or `*`.
             * @example [
             *       "event.recorded",
             *       "custody.*"
             *     ]
             */
            readonly events: readonly string[];
            /** @description Signing secret of your own, so that the receiver knows it before the first request: `whsec_` and base64 of 32 to 64 random bytes. By default the service makes one */
            readonly secret?: string;
        };
        readonly WebhookWithSecretView: {
            /**
             * Format: uuid
             * @description Id
             */
            readonly id: string;
            /** @description Receiver */
            readonly url: string;
            /** @description Topics and families of topics */
            readonly events: readonly string[];
            /** @description Changed by PATCH only */
            readonly active: boolean;
            /**
             * Format: date-time
             * @description Created
             */
            readonly createdAt: string;
            /** @description Set while the service holds deliveries back; lifted by resume */
            readonly paused: components["schemas"]["PausedView"] | null;
            /**
             * @description Signing secret; shown once: absent where an answer is given again
             * @example whsec_…
             */
            readonly secret?: string;
        };
        readonly ChangeWebhookBody: {
            /**
             * @description Where deliveries go; it must answer now. HTTPS is recommended.
             * @example https://example.com/hooks/trace
             */
            readonly url?: string;
            /**
             * @description Topics, families of them (`custody.*`), or `*`.
             * @example [
             *       "event.recorded",
             *       "custody.*"
             *     ]
             */
            readonly events?: readonly string[];
            /** @description An inactive subscription gets nothing; what waits for it is discarded. */
            readonly active?: boolean;
        };
        readonly TestSentView: {
            /**
             * Format: uuid
             * @description Id of the delivery
             */
            readonly deliveryId: string;
        };
        readonly RotateSecretBody: {
            /**
             * @description How long the old secret stays valid, in seconds.
             * @example 86400
             */
            readonly gracePeriodSeconds?: number;
        };
        readonly AttemptView: {
            /** @description Of all attempts, resends included */
            readonly number: number;
            /** @description Asked for by an administrator */
            readonly manual: boolean;
            /** @description HTTP status */
            readonly statusCode: number | null;
            /** @description Start of the answer, 8 KiB at most */
            readonly responseBody: string | null;
            /** @description What went wrong */
            readonly error: string | null;
            /**
             * Format: date-time
             * @description Started
             */
            readonly startedAt: string;
            /** @description Milliseconds */
            readonly durationMs: number;
        };
        readonly DeliveryView: {
            /**
             * Format: uuid
             * @description `X-Webhook-Id`; the same on every attempt
             */
            readonly id: string;
            /**
             * Format: uuid
             * @description Subscription
             */
            readonly subscriptionId: string;
            /** @description Topic */
            readonly event: string;
            /** @description Receiver */
            readonly url: string;
            /** @description HTTP status of the last attempt; null without an answer */
            readonly statusCode: number | null;
            /** @description Delivered */
            readonly success: boolean;
            /** @description Automatic attempts so far; 1 and three retries */
            readonly attempt: number;
            /** @description Start of the last answer, 8 KiB at most */
            readonly responseBody: string | null;
            /** @description What went wrong with the last attempt */
            readonly error: string | null;
            /**
             * Format: date-time
             * @description Created
             */
            readonly createdAt: string;
            /**
             * @description State
             * @enum {string}
             */
            readonly status: "pending" | "sending" | "retrying" | "delivered" | "failed" | "discarded";
            /**
             * Format: date-time
             * @description Next attempt
             */
            readonly nextAttemptAt: string | null;
            /** @description Resends, counted apart */
            readonly resends: number;
            /** @description Every attempt */
            readonly attempts: readonly components["schemas"]["AttemptView"][];
        };
        readonly DeliveryRequestView: {
            /** @description Receiver */
            readonly url: string;
            /** @description Headers as the next attempt would have them: time and signatures are of now. Empty once the subscription or the body is deleted */
            readonly headers: {
                readonly [key: string]: unknown;
            };
            /** @description The exact bytes that are signed and sent; null once they are deleted */
            readonly body: string | null;
        };
        readonly RecoverBody: {
            /**
             * @description Failed deliveries created from this time on are sent again: an ISO 8601 time with an offset, or a date.
             * @example 2026-11-28T00:00:00Z
             */
            readonly since: string;
        };
        readonly RecoveringView: {
            /** @description Deliveries that are sent again */
            readonly deliveries: number;
        };
        readonly ConsumerView: {
            /** @description Name */
            readonly name: string;
            /** @description User or API key that made it */
            readonly ownerId: string;
            /** @description Topics that it reads; null: all that its owner may read */
            readonly topics: readonly string[] | null;
            /** @description Place of the last change that it acknowledged */
            readonly cursor: string;
            /** @description Changes behind it, of all topics */
            readonly behind: number;
            /** @description Age of the first of them; 0 when there is none */
            readonly behindSeconds: number;
            /**
             * Format: date-time
             * @description Created
             */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @description Last read from or acknowledged, to the hour
             */
            readonly usedAt: string;
        };
        readonly ConsumerBody: {
            /** @description Topics that it reads; null: all that you may read */
            readonly topics?: readonly string[] | null;
            /** @description Moves its place to this cursor, back or forward; `latest`: to the end. A new consumer begins at the oldest change */
            readonly after?: string;
        };
        readonly AcknowledgeChangesBody: {
            /** @description Of the last change that you have processed */
            readonly cursor: string;
        };
        readonly ChangeView: {
            /**
             * Format: uuid
             * @description The same for every reader and for good
             */
            readonly id: string;
            /** @description Its place: `after` continues behind it */
            readonly cursor: string;
            /** @description Topic */
            readonly event: string;
            /**
             * Format: date-time
             * @description When it happened
             */
            readonly timestamp: string;
            /** @description As in the body of a webhook: the schema is that of the topic */
            readonly data: {
                readonly [key: string]: unknown;
            };
        };
        readonly ChangesView: {
            /** @description In order, each once */
            readonly data: readonly components["schemas"]["ChangeView"][];
            /** @description `after` of the next request, also when `data` is empty */
            readonly cursor: string;
            /** @description Whether there is more already: ask again without waiting */
            readonly more: boolean;
        };
        readonly EventBody: {
            /**
             * @description Key of a process in the tenant's process maps
             * @example RICE_MILLING
             */
            readonly processType: string;
            /**
             * @description Lots that go in
             * @example [
             *       3
             *     ]
             */
            readonly inputTokenIds?: readonly (number | string)[];
            /** @description TLC of the lot to mint; absent: made from the process map's template */
            readonly outputTlc?: string | null;
            /** @description EIP-55 address that gets the lot; absent: the sender */
            readonly outputCustodian?: string | null;
            /** @description Canonical metadata, validated against the process map's schema */
            readonly metadata: {
                readonly [key: string]: unknown;
            };
            /** @description EIP-55 address that will sign: one of your own; absent: your wallet */
            readonly from?: string | null;
        };
        readonly IssueView: {
            /**
             * @description RFC 6901 pointer into the request body
             * @example /metadata/quantity/uom
             */
            readonly pointer: string;
            /** @description Stable code */
            readonly code: string;
            /** @description One sentence */
            readonly message: string;
            /**
             * @description An error makes the event invalid
             * @enum {string}
             */
            readonly severity: "error" | "warning";
        };
        readonly VerdictView: {
            /** @description Whether the event could be prepared as it is */
            readonly valid: boolean;
            /**
             * @description "<pointer>: <sentence>"; pointers into the metadata are written from there
             * @example [
             *       "/quantity/uom: is required"
             *     ]
             */
            readonly errors: readonly string[];
            /** @description Advice in the same form */
            readonly warnings: readonly string[];
            /** @description Errors and warnings for programs */
            readonly issues: readonly components["schemas"]["IssueView"][];
            /** @description How many issues there are beyond the 100 that are listed; absent where there are none */
            readonly moreIssues?: number;
        };
        readonly EventBatchBody: {
            /** @description Events like those of `prepare`, in the order in which they count; each is read on its own */
            readonly events: readonly components["schemas"]["EventBody"][];
        };
        readonly BatchItemView: {
            /** @description Place in the request, from 0 */
            readonly index: number;
            /** @description HTTP status that a request of its own would have had */
            readonly status: number;
            /** @description What was prepared; null when it was refused */
            readonly event: components["schemas"]["PreparedEventView"] | null;
            /** @description Why it was refused (RFC 9457); pointers go into the item */
            readonly problem: {
                readonly [key: string]: unknown;
            } | null;
        };
        readonly EventBatchView: {
            /** @description How many were prepared */
            readonly prepared: number;
            /** @description How many were refused; nothing is stored of them */
            readonly refused: number;
            /** @description One answer an item, in the order of the request */
            readonly data: readonly components["schemas"]["BatchItemView"][];
        };
        readonly VoidBody: {
            /**
             * @description Error reason of the CBV
             * @enum {string}
             */
            readonly reason: "did_not_occur" | "incorrect_data";
            /** @description Landed events that state what happened instead */
            readonly correctiveEventIDs?: readonly string[];
            /** @description A note, stored with the declaration */
            readonly metadata?: {
                readonly [key: string]: unknown;
            };
            /** @description EIP-55 address that will sign: one of your own; absent: your wallet */
            readonly from?: string | null;
        };
        readonly PreparedVoidView: {
            /** @description The unsigned transaction */
            readonly preparedTx: components["schemas"]["PreparedTxView"];
            /** @description Advice for the sender */
            readonly hints: components["schemas"]["HintsView"];
            /** @description What to look at before signing */
            readonly warnings: readonly string[];
            /**
             * Format: uuid
             * @description The event that is declared wrong
             */
            readonly eventId: string;
            /** @description CIDv1 of the stored error declaration */
            readonly ipfsCid: string;
            /** @description sha2-256 of it, as it goes on chain */
            readonly dataHash: string;
            /** @description `{ method, args }`: the call that was prepared */
            readonly metadata: {
                readonly [key: string]: unknown;
            };
        };
        readonly SupersedeBody: {
            /**
             * @description Error reason of the CBV; `incorrect_data` when absent
             * @enum {string}
             */
            readonly reason?: "did_not_occur" | "incorrect_data";
            /** @description The whole content as it should have been, validated like that of a new event */
            readonly metadata: {
                readonly [key: string]: unknown;
            };
            /** @description EIP-55 address that will sign: one of your own; absent: your wallet */
            readonly from?: string | null;
        };
        readonly OpenedContentView: {
            /** @description Version of the format: of 1 everything is in the clear */
            readonly version: number;
            /** @description The stored bytes as text: their sha2-256 is the data hash */
            readonly block: string;
            /**
             * @description `erased`: values were erased here; `sealed_elsewhere`: their keys are not here; `key_lost`: their keys cannot be read; `content_invalid`: what is sealed does not fit the block
             * @enum {string}
             */
            readonly state: "open" | "erased" | "sealed_elsewhere" | "key_lost" | "content_invalid";
            /** @description Public values, and those of `classes`; for an erased one `{ "erased": true }` */
            readonly content: {
                readonly [key: string]: unknown;
            };
            /** @description Sealed classes of which the caller reads values here */
            readonly classes: readonly ("restricted" | "legitimate_interest" | "authority" | "personal")[];
        };
        readonly DisclosureView: {
            /** @description The exact text that was hashed: salt, path and value */
            readonly bytes: string;
            /** @description Its place among the leaves */
            readonly index: number;
            /** @description Hashes that lead from the leaf to the root */
            readonly path: readonly string[];
        };
        readonly DisclosuresView: {
            /** @description The stored bytes as text, with the root */
            readonly block: string;
            /** @description One for each value */
            readonly disclosures: readonly components["schemas"]["DisclosureView"][];
        };
        readonly LinkView: {
            /**
             * @description bytes_cid: the stored bytes hash to the CID; cid_data_hash: CID and data hash are one digest; data_hash_chain: the transaction recorded this data hash; record_content: the record shows the stored words; content_sender: who signed is whom the content was prepared for; record_chain: actor, inputs, outputs and status of the record are what the contract committed to
             * @enum {string}
             */
            readonly link: "bytes_cid" | "cid_data_hash" | "data_hash_chain" | "record_content" | "content_sender" | "record_chain";
            /**
             * @description `unreachable`: nothing can be concluded now; `not_landed`: nothing is on chain yet; `sealed`: values cannot be opened here, so they cannot be compared; `erased`: values were erased, all others are compared
             * @enum {string}
             */
            readonly status: "ok" | "mismatch" | "unreachable" | "not_landed" | "sealed" | "erased";
            /** @description One sentence */
            readonly detail: string;
        };
        readonly VerificationView: {
            /**
             * Format: uuid
             * @description The event
             */
            readonly eventId: string;
            /**
             * @description The worst of the links
             * @enum {string}
             */
            readonly status: "ok" | "mismatch" | "unreachable" | "not_landed" | "sealed" | "erased";
            /**
             * Format: date-time
             * @description When store and chain were asked
             */
            readonly checkedAt: string;
            /** @description CID of the stored content */
            readonly ipfsCid: string | null;
            /** @description sha2-256 of the stored content */
            readonly dataHash: string | null;
            /** @description Transaction */
            readonly txHash: string | null;
            /** @description From the bytes to the chain */
            readonly links: readonly components["schemas"]["LinkView"][];
        };
        readonly ProcessView: {
            /**
             * @description Key that events name
             * @example RICE_MILLING
             */
            readonly processType: string;
            /** @description bytes32 on chain: keccak256 of the key */
            readonly processId: string;
            /** @description What people read */
            readonly label: string;
            /** @description creation, observation, transformation, aggregation, disaggregation, association, transfer, disposal */
            readonly kind: string;
        };
        readonly ProcessMapView: {
            /**
             * @description The document's key
             * @example rice
             */
            readonly name: string;
            /** @description What people read */
            readonly title: string;
            /**
             * @description Semantic version
             * @example 1.0.0
             */
            readonly version: string;
            /** @description CIDv1 of the document's RFC 8785 bytes */
            readonly cid: string;
            /**
             * Format: date-time
             * @description When it was published
             */
            readonly publishedAt: string;
            /** @description User or API key id */
            readonly publishedBy: string;
            /** @description Its processes */
            readonly processes: readonly components["schemas"]["ProcessView"][];
        };
        readonly ProcessMapPageView: {
            /** @description Exact up to 10,000 */
            readonly total: number;
            /** @description Page, from 1 */
            readonly page: number;
            /** @description Items per page */
            readonly limit: number;
            /** @description Present when there are more than 10,000 */
            readonly totalIsLowerBound?: boolean;
            /** @description Cursor of the next page; null on the last page, and in lists without cursors */
            readonly nextCursor: string | null;
            /** @description Newest version of each map */
            readonly data: readonly components["schemas"]["ProcessMapView"][];
        };
        readonly ProcessMapDocumentView: {
            /**
             * @description The document's key
             * @example rice
             */
            readonly name: string;
            /** @description What people read */
            readonly title: string;
            /**
             * @description Semantic version
             * @example 1.0.0
             */
            readonly version: string;
            /** @description CIDv1 of the document's RFC 8785 bytes */
            readonly cid: string;
            /**
             * Format: date-time
             * @description When it was published
             */
            readonly publishedAt: string;
            /** @description User or API key id */
            readonly publishedBy: string;
            /** @description Its processes */
            readonly processes: readonly components["schemas"]["ProcessView"][];
            /** @description All published versions, newest first */
            readonly versions: readonly string[];
            /** @description The document as it was published */
            readonly document: {
                readonly [key: string]: unknown;
            };
        };
        readonly ProcessMapVerdictView: {
            /**
             * @description The document's key
             * @example rice
             */
            readonly name: string;
            /** @description What people read */
            readonly title: string;
            /**
             * @description Semantic version
             * @example 1.0.0
             */
            readonly version: string;
            /** @description CIDv1 of the document's RFC 8785 bytes */
            readonly cid: string;
            /**
             * Format: date-time
             * @description When it was published
             */
            readonly publishedAt: string;
            /** @description User or API key id */
            readonly publishedBy: string;
            /** @description Its processes */
            readonly processes: readonly components["schemas"]["ProcessView"][];
            /** @description This very document is published already */
            readonly published: boolean;
        };
        readonly ProcessMapTemplateView: {
            /**
             * @description The document's key
             * @example rice
             */
            readonly name: string;
            /** @description What people read */
            readonly title: string;
            /** @description What it is for */
            readonly description: string | null;
            /** @description Its processes, as people call them */
            readonly processes: readonly string[];
            /** @description The process map, as it is published */
            readonly document: {
                readonly [key: string]: unknown;
            };
        };
        readonly ProcessMapTemplatesView: {
            /** @description Of supply chains, and of products whose passports the law describes */
            readonly data: readonly components["schemas"]["ProcessMapTemplateView"][];
        };
        readonly ProcessMapTrialBody: {
            /** @description A document of the process map format 1.0 */
            readonly document: {
                readonly [key: string]: unknown;
            };
            /**
             * @description Key of one of its processes
             * @example RICE_MILLING
             */
            readonly processType: string;
            /** @description Metadata that an event of the process would have */
            readonly metadata: {
                readonly [key: string]: unknown;
            };
        };
        readonly MapTrialIssueView: {
            /**
             * @description RFC 6901 pointer into the request body
             * @example /metadata/quantity/uom
             */
            readonly pointer: string;
            /** @description Stable code */
            readonly code: string;
            /** @description One sentence */
            readonly message: string;
        };
        readonly ProcessMapTrialView: {
            /** @description Whether the schema of the process takes the metadata */
            readonly valid: boolean;
            /** @description What it refuses */
            readonly issues: readonly components["schemas"]["MapTrialIssueView"][];
        };
        readonly RulesView: {
            /** @description An input past its expiry date is an error, not a warning */
            readonly blockExpired: boolean;
            /** @description An input that a recall affects is an error, not a warning */
            readonly blockRecallAffected: boolean;
            /**
             * @description `open`: every value of new events is public, on chain and in the store, and can never be erased. It cannot be taken back for events that were recorded
             * @enum {string}
             */
            readonly contents: "sealed" | "open";
        };
        readonly RulesBody: {
            /** @description An input past its expiry date is an error, not a warning */
            readonly blockExpired?: boolean;
            /** @description An input that a recall affects is an error, not a warning */
            readonly blockRecallAffected?: boolean;
            /**
             * @description `open`: every value of new events is public, on chain and in the store, and can never be erased. It cannot be taken back for events that were recorded
             * @enum {string}
             */
            readonly contents?: "sealed" | "open";
        };
        readonly ErasureBody: {
            /**
             * Format: uuid
             * @description The event, with what corrects it and what it corrects; then `pointers` or `classes`
             */
            readonly eventId?: string;
            /** @description Pointers (RFC 6901) into its content, such as `/metadata/harvester`; children included */
            readonly pointers?: readonly string[];
            /** @description Classes, each as a whole */
            readonly classes?: readonly ("restricted" | "legitimate_interest" | "authority" | "personal")[];
            /** @description A name, phone number or address of a person: all that is held of them; then no `eventId` */
            readonly subject?: string;
        };
        readonly BeyondReachView: {
            /** @description How often disclosures with values of persons were given away */
            readonly disclosures: number;
            /** @description Messages to receivers of webhooks that had a value in them */
            readonly deliveries: number;
        };
        readonly LeftView: {
            /**
             * Format: uuid
             * @description The event
             */
            readonly eventId: string;
            /** @description The value; empty: the whole content */
            readonly pointer: string;
            /**
             * @description Why it stays
             * @enum {string}
             */
            readonly code: "not_separable" | "not_erasable" | "needed_for_record" | "nothing_sealed";
            /** @description One sentence */
            readonly message: string;
        };
        readonly CopiesView: {
            /** @description Table of the service */
            readonly table: string;
            /** @description Rows */
            readonly rows: number;
        };
        readonly ErasureView: {
            /**
             * Format: uuid
             * @description The receipt
             */
            readonly id: string;
            /**
             * Format: date-time
             * @description When
             */
            readonly erasedAt: string;
            /** @description Events of which values were erased */
            readonly events: number;
            /** @description Values that were erased; none where all were erased before */
            readonly values: number;
            /** @description Notes of offers, retirements, error declarations and other calls that were erased, each as a whole */
            readonly notes: number;
            /**
             * Format: date-time
             * @description Until then a backup of before has the keys; a restore of it erases the values again
             */
            readonly backupsUntil: string;
            /** @description What was given away before, and nobody can take back. Files of exports are not counted */
            readonly beyondReach: components["schemas"]["BeyondReachView"];
            /** @description Of a person: values that name them and stay */
            readonly left: readonly components["schemas"]["LeftView"][];
            /** @description Of a person: rows that name them and stay: notices of recalls, which the law asks for; named queries and links, which you change */
            readonly kept: readonly components["schemas"]["CopiesView"][];
        };
        readonly SubjectBody: {
            /** @description A name, phone number or address of the person: in any case, a number however its digits are grouped */
            readonly value: string;
        };
        readonly SubjectValueView: {
            /** @description Its place in the content */
            readonly pointer: string;
            /**
             * @description Who may read it
             * @enum {string}
             */
            readonly class: "public" | "restricted" | "legitimate_interest" | "authority" | "personal";
            /** @description It says the name, number or address; otherwise it is in the same object */
            readonly names: boolean;
            /** @description Whether an erasure of this person takes it */
            readonly erasable: boolean;
        };
        readonly SubjectEventView: {
            /**
             * Format: uuid
             * @description The event
             */
            readonly eventId: string;
            /** @description Key in the process map */
            readonly processType: string | null;
            /**
             * Format: date-time
             * @description When it happened
             */
            readonly eventTime: string | null;
            /** @description Status of the event */
            readonly status: string;
            /** @description Other values of persons in the event: look whether they are of this one */
            readonly others: readonly string[];
            /** @description How often disclosures with values of persons were given away */
            readonly disclosed: number;
            /** @description What is held of the person */
            readonly values: readonly components["schemas"]["SubjectValueView"][];
        };
        readonly SubjectDataView: {
            /** @description False: there are more events than one answer lists */
            readonly complete: boolean;
            /** @description Other rows of the service that say the same */
            readonly copies: readonly components["schemas"]["CopiesView"][];
            /** @description Events that name the person */
            readonly events: readonly components["schemas"]["SubjectEventView"][];
        };
        readonly ExportedValueView: {
            /** @description Its place in the content */
            readonly pointer: string;
            /**
             * @description Who may read it
             * @enum {string}
             */
            readonly class: "public" | "restricted" | "legitimate_interest" | "authority" | "personal";
            /** @description It says the name, number or address; otherwise it is in the same object */
            readonly names: boolean;
            /** @description Whether an erasure of this person takes it */
            readonly erasable: boolean;
            /** @description The value; one that is no text, as JSON */
            readonly value: string;
        };
        readonly ExportedEventView: {
            /**
             * Format: uuid
             * @description The event
             */
            readonly eventId: string;
            /** @description Key in the process map */
            readonly processType: string | null;
            /**
             * Format: date-time
             * @description When it happened
             */
            readonly eventTime: string | null;
            /** @description Status of the event */
            readonly status: string;
            /** @description Other values of persons in the event: look whether they are of this one */
            readonly others: readonly string[];
            /** @description How often disclosures with values of persons were given away */
            readonly disclosed: number;
            /** @description What is held of the person */
            readonly values: readonly components["schemas"]["ExportedValueView"][];
        };
        readonly SubjectExportView: {
            /** @description False: there are more events than one answer lists */
            readonly complete: boolean;
            /** @description Other rows of the service that say the same */
            readonly copies: readonly components["schemas"]["CopiesView"][];
            /** @description Events that name the person, with the values */
            readonly events: readonly components["schemas"]["ExportedEventView"][];
        };
        readonly LotView: {
            /**
             * Format: uuid
             * @description UUID derived from chain, contract and token id
             */
            readonly id: string;
            /** @description Id of the lot on chain */
            readonly tokenId: number;
            /** @description The tenant's slug */
            readonly tenantId: string;
            /** @description Traceability lot code; its keccak256 hash while the text is unknown (`resolved` false) */
            readonly tlc: string;
            /** @description Key in the process map; null while unknown */
            readonly assetType: string | null;
            /** @description The asset type's name */
            readonly assetTypeName: string | null;
            /** @description The process map that it was made by */
            readonly processMapName: string | null;
            /**
             * @description The first that holds of: retired, recalled, consumed, in_transit, aggregated, on_hold, expired, active
             * @enum {string}
             */
            readonly status: "retired" | "recalled" | "consumed" | "in_transit" | "aggregated" | "on_hold" | "expired" | "active";
            /** @description EIP-55 address; of a contained lot its outermost container’s custodian */
            readonly custodian: string;
            /** @description Name of the party with this address, or the address shortened */
            readonly custodianLabel: string;
            /**
             * @description What kind of label it is
             * @enum {string}
             */
            readonly custodianLabelKind: "organization" | "facility" | "user" | "partner" | "contract" | "address";
            /** @description CID of the mint event’s stored content */
            readonly metadataCid: string;
            /** @description The mint event’s metadata, as far as the caller may read it */
            readonly metadata: {
                readonly [key: string]: unknown;
            } | null;
            /** @description Transaction of the mint; of a part, of the split */
            readonly txHash: string;
            /** @description Block of the mint */
            readonly blockNumber: number;
            /** @description sha2-256 of the mint event’s stored content, as recorded on chain */
            readonly dataHash: string;
            /**
             * Format: date-time
             * @description When it expires
             */
            readonly expiresAt: string | null;
            /** @description EIP-55 address it is offered to */
            readonly pendingCustodian: string | null;
            /**
             * Format: uuid
             * @description The event that made it, or the lot that it is a part of
             */
            readonly mintEventId: string;
            /** @description Landed events that name it, voided ones included */
            readonly eventCount: number;
            /**
             * Format: date-time
             * @description Block time of the mint; of a part, of the lot that it was split from
             */
            readonly createdAt: string;
            /** @description What was made, or split off, in `uom`; a decimal string beyond 2^53 millionths; null = unmeasured */
            readonly quantity: number | null;
            /** @description What is left, or what was there when it was retired */
            readonly remainingQuantity: number | null;
            /** @description UNECE Recommendation 20 or 21 code */
            readonly uom: string | null;
            /** @description GTIN, 14 digits: the one that its event states, else that of its asset type */
            readonly gtin: string | null;
            /** @description Serial number of a single item */
            readonly serial: string | null;
            /** @description Its identity: a GS1 Digital Link (GTIN and lot, GTIN and serial, SSCC), or a code of your own */
            readonly key: string;
            /** @description GS1 Digital Link; null for a code of your own */
            readonly digitalLink: string | null;
            /** @description Of a part: the lot that it was split from; both have one code */
            readonly splitFrom: number | null;
            /** @description The container it is in */
            readonly containerTokenId: number | null;
            /** @description Version of the process map */
            readonly processMapVersion: string | null;
            /** @description Where its latest event by eventTime happened, as far as the caller may read it */
            readonly location: {
                readonly [key: string]: unknown;
            } | null;
            /** @description Recalled itself */
            readonly recalled: boolean;
            /** @description Made from something recalled, or packed in a recalled container */
            readonly recallAffected: boolean;
            /** @description A container around something that was recalled inside it */
            readonly holdsRecalled: boolean;
            /** @description Stopped by a recall or by quality control */
            readonly onHold: boolean;
            /** @description Past its `expiresAt` */
            readonly expired: boolean;
            /** @description In a container */
            readonly contained: boolean;
            /** @description A container itself */
            readonly isContainer: boolean;
            /** @description sold, disposed, destroyed, lost, sampled, voided, exported, unpacked or migrated */
            readonly retireReason: string | null;
            /** @description Whether the texts of its hashes are known */
            readonly resolved: boolean;
            /** @description Whether what is shown is final on chain */
            readonly confirmed: boolean;
        };
        readonly LotPageView: {
            /** @description Exact up to 10,000 */
            readonly total: number;
            /** @description Page, from 1 */
            readonly page: number;
            /** @description Items per page */
            readonly limit: number;
            /** @description Present when there are more than 10,000 */
            readonly totalIsLowerBound?: boolean;
            /** @description Cursor of the next page; null on the last page, and in lists without cursors */
            readonly nextCursor: string | null;
            /** @description Newest first */
            readonly data: readonly components["schemas"]["LotView"][];
        };
        readonly AsOfView: {
            /** @description The last block that counts */
            readonly block: number;
        };
        readonly GraphNodeView: {
            /** @description The lot */
            readonly tokenId: number;
            /** @description Its code */
            readonly tlc: string;
            /** @description Key in the process map */
            readonly assetType: string | null;
            /** @description The asset type's name */
            readonly assetTypeName: string | null;
            /**
             * @description What it is
             * @enum {string}
             */
            readonly status: "retired" | "recalled" | "consumed" | "in_transit" | "aggregated" | "on_hold" | "expired" | "active";
            /** @description Shortest distance from the lot asked about */
            readonly depth: number;
            /** @description Distinct ways from the lot asked about; a decimal string beyond 2^53 */
            readonly paths: number;
            /** @description EIP-55 address of the custodian */
            readonly custodian: string;
            /** @description What was made, in `uom`; null = unmeasured */
            readonly quantity: number | null;
            /** @description UNECE code of the unit */
            readonly uom: string | null;
            /**
             * Format: uuid
             * @description The event that made it
             */
            readonly eventId: string;
            /** @description Process type of that event */
            readonly processType: string | null;
            /**
             * Format: date-time
             * @description When that event happened
             */
            readonly eventTime: string | null;
            /** @description ISO 3166-1 country of that event */
            readonly country: string | null;
            /** @description Part of the mass of the lot asked about that came from this ancestor, or went into this descendant; null where a mass is unknown */
            readonly share: number | null;
            /** @description Recalled itself */
            readonly recalled: boolean;
            /** @description Affected by a recall of another lot */
            readonly recallAffected: boolean;
        };
        readonly GraphEdgeView: {
            /** @description The older lot */
            readonly from: number;
            /** @description The lot made from it, the part split from it, or the container it was packed in */
            readonly to: number;
            /**
             * @description What links them
             * @enum {string}
             */
            readonly kind: "transformation" | "containment" | "split";
            /**
             * Format: uuid
             * @description The event that did; null for a split
             */
            readonly eventId: string | null;
            /** @description Process type of that event */
            readonly processType: string | null;
            /** @description How much of `from`, in `uom`; null for an unmeasured lot */
            readonly quantity: number | null;
            /** @description Unit of `from` */
            readonly uom: string | null;
            /** @description Part of `from` that was used here */
            readonly inputShare: number | null;
            /** @description Part of the mass of `to` that came through here */
            readonly outputShare: number | null;
        };
        readonly GraphView: {
            /** @description Whether there is more than the bounds allowed */
            readonly truncated: boolean;
            /**
             * @description Which bound cut it; an answer holds 50,000 edges
             * @enum {string|null}
             */
            readonly truncatedBy: "maxDepth" | "maxNodes" | "maxEdges" | null;
            /** @description Lots that lead to more */
            readonly frontier: readonly (number | string)[];
            /** @description Goes on exactly where it was cut, with `cursor` */
            readonly nextCursor: string | null;
            /** @description Which state this is */
            readonly asOf: components["schemas"]["AsOfView"];
            /** @description The lot asked about */
            readonly root: number;
            /**
             * @description Which way
             * @enum {string}
             */
            readonly direction: "ancestors" | "descendants";
            /** @description By depth, then token id */
            readonly nodes: readonly components["schemas"]["GraphNodeView"][];
            /** @description Every edge between lots of this answer and those before it */
            readonly edges: readonly components["schemas"]["GraphEdgeView"][];
            /** @description Greatest depth in this answer */
            readonly depth: number;
            /** @description Lots in this answer */
            readonly nodeCount: number;
            /** @description Edges in this answer */
            readonly edgeCount: number;
            /** @description With `format=tree`, in the place of `nodes` and `edges`: a node with `children[]`, each with the `edge` that leads to it; a lot that is elsewhere in the tree is `{ tokenId, tlc, ref: true }` */
            readonly tree?: {
                readonly [key: string]: unknown;
            };
        };
        readonly RelatedLotView: {
            /**
             * Format: uuid
             * @description UUID derived from chain, contract and token id
             */
            readonly id: string;
            /** @description Id of the lot on chain */
            readonly tokenId: number;
            /** @description The tenant's slug */
            readonly tenantId: string;
            /** @description Traceability lot code; its keccak256 hash while the text is unknown (`resolved` false) */
            readonly tlc: string;
            /** @description Key in the process map; null while unknown */
            readonly assetType: string | null;
            /** @description The asset type's name */
            readonly assetTypeName: string | null;
            /** @description The process map that it was made by */
            readonly processMapName: string | null;
            /**
             * @description The first that holds of: retired, recalled, consumed, in_transit, aggregated, on_hold, expired, active
             * @enum {string}
             */
            readonly status: "retired" | "recalled" | "consumed" | "in_transit" | "aggregated" | "on_hold" | "expired" | "active";
            /** @description EIP-55 address; of a contained lot its outermost container’s custodian */
            readonly custodian: string;
            /** @description Name of the party with this address, or the address shortened */
            readonly custodianLabel: string;
            /**
             * @description What kind of label it is
             * @enum {string}
             */
            readonly custodianLabelKind: "organization" | "facility" | "user" | "partner" | "contract" | "address";
            /** @description CID of the mint event’s stored content */
            readonly metadataCid: string;
            /** @description The mint event’s metadata, as far as the caller may read it */
            readonly metadata: {
                readonly [key: string]: unknown;
            } | null;
            /** @description Transaction of the mint; of a part, of the split */
            readonly txHash: string;
            /** @description Block of the mint */
            readonly blockNumber: number;
            /** @description sha2-256 of the mint event’s stored content, as recorded on chain */
            readonly dataHash: string;
            /**
             * Format: date-time
             * @description When it expires
             */
            readonly expiresAt: string | null;
            /** @description EIP-55 address it is offered to */
            readonly pendingCustodian: string | null;
            /**
             * Format: uuid
             * @description The event that made it, or the lot that it is a part of
             */
            readonly mintEventId: string;
            /** @description Landed events that name it, voided ones included */
            readonly eventCount: number;
            /**
             * Format: date-time
             * @description Block time of the mint; of a part, of the lot that it was split from
             */
            readonly createdAt: string;
            /** @description What was made, or split off, in `uom`; a decimal string beyond 2^53 millionths; null = unmeasured */
            readonly quantity: number | null;
            /** @description What is left, or what was there when it was retired */
            readonly remainingQuantity: number | null;
            /** @description UNECE Recommendation 20 or 21 code */
            readonly uom: string | null;
            /** @description GTIN, 14 digits: the one that its event states, else that of its asset type */
            readonly gtin: string | null;
            /** @description Serial number of a single item */
            readonly serial: string | null;
            /** @description Its identity: a GS1 Digital Link (GTIN and lot, GTIN and serial, SSCC), or a code of your own */
            readonly key: string;
            /** @description GS1 Digital Link; null for a code of your own */
            readonly digitalLink: string | null;
            /** @description Of a part: the lot that it was split from; both have one code */
            readonly splitFrom: number | null;
            /** @description The container it is in */
            readonly containerTokenId: number | null;
            /** @description Version of the process map */
            readonly processMapVersion: string | null;
            /** @description Where its latest event by eventTime happened, as far as the caller may read it */
            readonly location: {
                readonly [key: string]: unknown;
            } | null;
            /** @description Recalled itself */
            readonly recalled: boolean;
            /** @description Made from something recalled, or packed in a recalled container */
            readonly recallAffected: boolean;
            /** @description A container around something that was recalled inside it */
            readonly holdsRecalled: boolean;
            /** @description Stopped by a recall or by quality control */
            readonly onHold: boolean;
            /** @description Past its `expiresAt` */
            readonly expired: boolean;
            /** @description In a container */
            readonly contained: boolean;
            /** @description A container itself */
            readonly isContainer: boolean;
            /** @description sold, disposed, destroyed, lost, sampled, voided, exported, unpacked or migrated */
            readonly retireReason: string | null;
            /** @description Whether the texts of its hashes are known */
            readonly resolved: boolean;
            /** @description Whether what is shown is final on chain */
            readonly confirmed: boolean;
            /** @description What links it to the lot asked about */
            readonly edge: components["schemas"]["GraphEdgeView"];
        };
        readonly RelationsView: {
            /** @description The lot asked about */
            readonly tokenId: number;
            /** @description What it was made from */
            readonly parents: readonly components["schemas"]["RelatedLotView"][];
            /** @description What was made from it */
            readonly children: readonly components["schemas"]["RelatedLotView"][];
            /** @description The container it is in */
            readonly container: components["schemas"]["LotView"] | null;
            /** @description What is inside it */
            readonly contents: readonly components["schemas"]["LotView"][];
            /** @description Containers that it was in before */
            readonly pastContainers: readonly components["schemas"]["LotView"][];
            /** @description What was inside it before */
            readonly pastContents: readonly components["schemas"]["LotView"][];
            /** @description The other outputs of the event that made it */
            readonly siblings: readonly components["schemas"]["LotView"][];
            /** @description Whether a list has more than the 500 that are shown: walk the descendants */
            readonly truncated: boolean;
        };
        readonly FootprintBasisView: {
            /** @description Produced, in kilograms */
            readonly massKg: number | null;
            /** @description Left, in kilograms */
            readonly remainingKg: number | null;
            /** @description Produced, in `uom` */
            readonly quantity: number | null;
            /** @description Left, in `uom` */
            readonly remaining: number | null;
            /** @description UNECE code of the unit */
            readonly uom: string | null;
        };
        readonly CoverageView: {
            /** @description Events that declared the indicator, of those that should */
            readonly declared: number;
            /** @description Events that should: the map lists the indicator, or lots are made */
            readonly expected: number;
            /** @description declared / expected, six decimals */
            readonly events: number | null;
            /** @description The same, weighed by the mass that ended in this lot */
            readonly mass: number | null;
        };
        readonly EventRefView: {
            /**
             * Format: uuid
             * @description The event
             */
            readonly eventId: string;
            /** @description Its process type */
            readonly processType: string | null;
        };
        readonly IndicatorView: {
            /** @description kgCO2e, m3, MJ or kg */
            readonly unit: string;
            /** @description What belongs to the produced quantity */
            readonly total: number | null;
            /** @description What belongs to the remaining quantity */
            readonly onHand: number | null;
            /** @description `total` by `basis.massKg` */
            readonly perKg: number | null;
            /** @description `total` by `basis.quantity` */
            readonly perUnit: number | null;
            /** @description Declarations are missing, the true figure is higher */
            readonly lowerBound: boolean;
            /** @description How much of it is declared */
            readonly coverage: components["schemas"]["CoverageView"];
            /** @description Percent of the impact that was measured or given by the supplier */
            readonly primaryDataShare: number | null;
            /** @description Impact by process type */
            readonly byProcess: {
                readonly [key: string]: unknown;
            };
            /** @description Impact by ISO 3166-1 country of the event, `unknown` where none is given */
            readonly byCountry: {
                readonly [key: string]: unknown;
            };
            /** @description Events that should have declared it and did not */
            readonly missing: readonly components["schemas"]["EventRefView"][];
            /** @description Carbon only: fossil, biogenic, landUseChange, and biogenicUptake, which is not in `total` */
            readonly breakdown?: {
                readonly [key: string]: unknown;
            };
        };
        readonly IndicatorsView: {
            /** @description Climate change, kgCO2e, without biogenic uptake */
            readonly carbon: components["schemas"]["IndicatorView"];
            /** @description Water, m3 */
            readonly water: components["schemas"]["IndicatorView"];
            /** @description Energy, MJ */
            readonly energy: components["schemas"]["IndicatorView"];
            /** @description Waste, kg */
            readonly waste: components["schemas"]["IndicatorView"];
        };
        readonly FootprintMethodView: {
            /** @description Burdens are shared among outputs as each process of the map says */
            readonly allocation: string;
            /** @description Assessment reports whose GWP values were used */
            readonly gwp: readonly string[];
            /** @description Standards that the declarations name */
            readonly standards: readonly string[];
            /** @description How it was computed */
            readonly engine: string;
        };
        readonly LeftOutView: {
            /**
             * Format: uuid
             * @description The event
             */
            readonly eventId: string;
            /** @description Its process type */
            readonly processType: string | null;
            /** @description kgCO2e */
            readonly carbon?: number;
            /** @description m3 */
            readonly water?: number;
            /** @description MJ */
            readonly energy?: number;
            /** @description kg */
            readonly waste?: number;
        };
        readonly FootprintView: {
            /** @description The lot */
            readonly tokenId: number;
            /** @description Its traceability lot code */
            readonly tlc: string;
            /** @description What the figures are about */
            readonly basis: components["schemas"]["FootprintBasisView"];
            /** @description The four indicators */
            readonly indicators: components["schemas"]["IndicatorsView"];
            /** @description How it was computed */
            readonly method: components["schemas"]["FootprintMethodView"];
            /** @description Carried by inputs of a cradle-to-gate event, which has its upstream inside already */
            readonly excludedUpstream: readonly components["schemas"]["LeftOutView"][];
            /** @description Declared, but no lot could take it */
            readonly unallocated: readonly components["schemas"]["LeftOutView"][];
            /** @description Lots in the tree */
            readonly nodeCount: number;
            /** @description Always false: a tree beyond the bounds is refused */
            readonly truncated: boolean;
            /** @description Always empty */
            readonly frontier: readonly string[];
        };
        readonly EventActorView: {
            /** @description EIP-55 address of the signer */
            readonly address: string | null;
            /** @description did:pkh of the address */
            readonly did: string | null;
            /** @description Organisation of the address */
            readonly orgId: string | null;
            /** @description Its name */
            readonly orgName: string | null;
        };
        readonly EventInputView: {
            /** @description Its GTIN */
            readonly gtin: string | null;
            /** @description Serial number of a single item */
            readonly serial: string | null;
            /** @description The lot */
            readonly tokenId: number;
            /** @description Its code */
            readonly tlc: string | null;
            /** @description Its asset type */
            readonly assetType: string | null;
            /** @description Number, or decimal string beyond 2^53 millionths: what the event took; null = nothing, or all of an unmeasured lot */
            readonly quantity: (number | string) | null;
            /** @description Unit of the quantity */
            readonly uom: string | null;
            /** @description What the event did to the lot */
            readonly consumption: string | null;
        };
        readonly EventOutputView: {
            /** @description Its GTIN */
            readonly gtin: string | null;
            /** @description Serial number of a single item */
            readonly serial: string | null;
            /** @description The lot; null before it has landed */
            readonly tokenId: number | null;
            /** @description Its code, or the hash of its key while the text is unknown */
            readonly tlc: string | null;
            /** @description Its asset type */
            readonly assetType: string | null;
            /**
             * @description Main output or co-product
             * @enum {string|null}
             */
            readonly role: "main" | "co_product" | null;
            /** @description Number, or decimal string beyond 2^53 millionths; null = unmeasured */
            readonly quantity: (number | string) | null;
            /** @description Unit of the quantity */
            readonly uom: string | null;
            /** @description EIP-55 address that it was minted to */
            readonly custodian: string | null;
            /**
             * Format: date-time
             * @description When it expires
             */
            readonly expiresAt: string | null;
        };
        readonly EventRelayView: {
            /** @description Id of the passkey that signed, base64url */
            readonly signedBy: string;
            /** @description EIP-55 address of the sponsor who pays; null when another sent what was signed */
            readonly paidBy: string | null;
        };
        readonly EventView: {
            /**
             * Format: uuid
             * @description UUID; on chain the first 16 bytes of the event id
             */
            readonly id: string;
            /** @description The tenant's slug */
            readonly tenantId: string;
            /** @description Key in the process map; null while unknown */
            readonly processType: string | null;
            /** @description keccak256 of the process type */
            readonly processId: string;
            /** @description The process's label */
            readonly processLabel: string | null;
            /** @description Name of the process map */
            readonly processMapName: string | null;
            /** @description Its version */
            readonly processMapVersion: string | null;
            /**
             * @description Kind of process
             * @enum {string|null}
             */
            readonly kind: "creation" | "observation" | "transformation" | "aggregation" | "disaggregation" | "association" | "transfer" | "disposal" | null;
            /** @description 0 none, 1 packed, 2 broken up */
            readonly containmentMode: number;
            /**
             * @description Its status
             * @enum {string}
             */
            readonly status: "prepared" | "submitted" | "recorded" | "failed" | "expired" | "voided" | "superseded";
            /**
             * @description Why it is `failed`: another event landed with one of its codes, or its own transaction failed
             * @enum {string|null}
             */
            readonly failureReason: "tlc_taken" | "transaction_failed" | null;
            /**
             * Format: date-time
             * @description When it happened
             */
            readonly eventTime: string | null;
            /** @description Offset at its place */
            readonly eventTimeZoneOffset: string | null;
            /**
             * Format: date-time
             * @description When it was stored
             */
            readonly recordTime: string;
            /**
             * Format: date-time
             * @description Time of its block
             */
            readonly landedAt: string | null;
            /** @description Stored later after it happened than the process map allows */
            readonly late: boolean;
            /** @description Who recorded it */
            readonly actor: components["schemas"]["EventActorView"];
            /** @description Token ids of the inputs */
            readonly inputTokenIds: readonly number[];
            /** @description The inputs */
            readonly inputs: readonly components["schemas"]["EventInputView"][];
            /** @description Code of the main output */
            readonly outputTlc: string | null;
            /** @description EIP-55 address that the main output was minted to */
            readonly outputCustodian: string | null;
            /** @description Token ids of the outputs */
            readonly outputTokenIds: readonly number[];
            /** @description The outputs, main one first */
            readonly outputs: readonly components["schemas"]["EventOutputView"][];
            /** @description Where it happened, as far as the caller may read it */
            readonly location: {
                readonly [key: string]: unknown;
            } | null;
            /** @description As far as the caller may read it; null while unknown */
            readonly metadata: {
                readonly [key: string]: unknown;
            } | null;
            /** @description CID of the stored content */
            readonly ipfsCid: string | null;
            /** @description sha2-256 of the stored content */
            readonly dataHash: string | null;
            /** @description Documents, as far as the caller may read them */
            readonly documents: readonly Record<string, unknown>[];
            /** @description `{ required, present, ratio, missing[] }`; null for an event that was sent to the contract directly */
            readonly kde: {
                readonly [key: string]: unknown;
            } | null;
            /** @description Yield and mass balance of a landed event that made goods, in kg: `{ inputKg, mainOutputKg, coProductKg, declaredLossKg, gapKg, gapRatio, yield, materialYield, expectedYield, tolerance, yieldOutside, balanceOutside, unmeasured }`; null where a quantity has no mass; only for callers who may read the whole event */
            readonly mass: {
                readonly [key: string]: unknown;
            } | null;
            /** @description Warnings of its validation */
            readonly warnings: readonly string[];
            /** @description Transaction */
            readonly txHash: string | null;
            /** @description Block */
            readonly blockNumber: number | null;
            /** @description Position in the block */
            readonly logIndex: number | null;
            /** @description EIP-155 chain id */
            readonly chainId: number;
            /** @description Contract where it landed */
            readonly contractAddress: string | null;
            /** @description `{ declarationTime, reason, correctiveEventIDs, actor, dataHash, senderMismatch, preparedSender }` of a voided or superseded event; `senderMismatch`: another wallet signed than the declaration was prepared for, and `preparedSender` is that one */
            readonly errorDeclaration: {
                readonly [key: string]: unknown;
            } | null;
            /** @description The event that this one corrects */
            readonly supersedes: string | null;
            /** @description The event that corrects this one */
            readonly supersededBy: string | null;
            /**
             * Format: date-time
             * @description When the row was created
             */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @description When it changed last
             */
            readonly updatedAt: string;
            /** @description Another call landed than the one that was prepared: the values are those of the chain */
            readonly calldataMismatch: boolean;
            /** @description Another wallet signed than the one it was prepared for: the event counts for who signed */
            readonly senderMismatch: boolean;
            /** @description Of a sender mismatch: the EIP-55 address it was prepared for */
            readonly preparedSender: string | null;
            /** @description Who signed and who paid, of an event that was relayed here */
            readonly relay: components["schemas"]["EventRelayView"] | null;
            /** @description Whether the content of its data hash is known */
            readonly resolved: boolean;
            /**
             * @description What is known of its content, for good: `open`; `erased`: values were erased; `sealed_elsewhere`: its keys are not here; `key_lost`: they cannot be read; `content_invalid`: it is not what the event may refer to; `downgraded`: it is of version 1, after the tenant sealed its first one. null while it is not known
             * @enum {string|null}
             */
            readonly contentState: "open" | "erased" | "sealed_elsewhere" | "key_lost" | "content_invalid" | "downgraded" | null;
            /** @description Pointers (RFC 6901) into its content whose values were erased: they are null here */
            readonly erased: readonly string[];
            /** @description Whether it is final on chain */
            readonly confirmed: boolean;
        };
        readonly EventPageView: {
            /** @description Exact up to 10,000 */
            readonly total: number;
            /** @description Page, from 1 */
            readonly page: number;
            /** @description Items per page */
            readonly limit: number;
            /** @description Present when there are more than 10,000 */
            readonly totalIsLowerBound?: boolean;
            /** @description Cursor of the next page; null on the last page, and in lists without cursors */
            readonly nextCursor: string | null;
            /** @description By eventTime, newest first, then id */
            readonly data: readonly components["schemas"]["EventView"][];
        };
        readonly OutputBody: {
            /** @description Traceability lot code */
            readonly tlc: string;
            /** @description GTIN; absent: that of the asset type */
            readonly gtin?: string;
            /** @description Serial number of a single item */
            readonly serial?: string;
            /** @description Key of the asset type in the tenant's process map */
            readonly assetType: string;
            /** @description EIP-55 address */
            readonly custodian: string;
            /** @description In `uom`, at most six decimals; absent = unmeasured */
            readonly quantity?: number;
            /** @description UNECE Recommendation 20 code */
            readonly uom?: string;
            /**
             * Format: date-time
             * @description When the lot expires
             */
            readonly expiresAt?: string;
        };
        readonly TxPrepareBody: {
            /**
             * @description State-changing method of the tenant's contract, or its signature
             * @example setDirectReceipt
             */
            readonly method: string;
            /** @description bytes32 id of the process, `keccak256(utf8(processType))`; zero where the method has none */
            readonly processId: string;
            /** @description The lots of the call */
            readonly inputTokenIds?: readonly (number | string)[];
            /** @description Lots to mint, main output first */
            readonly outputs?: readonly components["schemas"]["OutputBody"][];
            /** @description 0 none, 1 aggregate, 2 disaggregate */
            readonly containmentMode?: number;
            /** @description Stored by content; its `args` holds the other arguments of the method by name */
            readonly metadata: {
                readonly [key: string]: unknown;
            };
            /** @description EIP-55 address that will sign; your wallet when absent */
            readonly from?: string;
        };
        readonly PreparedGenericView: {
            /** @description The unsigned transaction */
            readonly preparedTx: components["schemas"]["PreparedTxView"];
            /** @description Advice for the sender */
            readonly hints: components["schemas"]["HintsView"];
            /** @description What to look at before signing */
            readonly warnings: readonly string[];
            /** @description `{ method, args, eventId?, ipfsCid?, dataHash?, processType? }` */
            readonly metadata: {
                readonly [key: string]: unknown;
            };
        };
        readonly RelayAssertion: {
            /** @description One of the key's lanes */
            readonly lane: number;
            /** @description The next one of the lane */
            readonly sequence: number;
            /** @description Seconds since 1970, at most ten minutes ahead */
            readonly deadline: number;
            /** @description The credential that `navigator.credentials.get` returned for the digest of the batch, as JSON */
            readonly credential: {
                readonly [key: string]: unknown;
            };
        };
        readonly RelayBody: {
            /** @description Of your organisation, or another one of yours (EIP-55); absent: the one that is your wallet */
            readonly account?: string;
            /** @description `hints.preparedId` of each call, in the order that was signed */
            readonly prepared: readonly string[];
            /** @description What the passkey signed */
            readonly assertion: components["schemas"]["RelayAssertion"];
        };
        readonly RelayedView: {
            /**
             * Format: uuid
             * @description Of the batch
             */
            readonly relayId: string;
            /** @description Of each call, for GET /api/v1/tx/{trackingId}, in their order */
            readonly trackingIds: readonly string[];
        };
        readonly RelayKeyView: {
            /** @description Id of the passkey, base64url */
            readonly passkeyId: string;
            /** @description What you call it */
            readonly name: string;
            /** @description Of its public key: 0x and 64 hex digits */
            readonly x: string;
            /** @description Of its public key: 0x and 64 hex digits */
            readonly y: string;
            /** @description SHA-256 of the domain that it was made for */
            readonly rpIdHash: string;
            /** @description Whether it signs for the account */
            readonly signs: boolean;
            /** @description A lane in which nothing is on its way, where there is one */
            readonly lane: number;
            /** @description Next place in it */
            readonly sequence: number;
        };
        readonly RelayAccountView: {
            /** @description EIP-55 address of your account */
            readonly address: string;
            /** @description EIP-155 chain id */
            readonly chainId: number;
            /** @description Whether the account is on chain; the first relay deploys it */
            readonly deployed: boolean;
            /**
             * Format: date-time
             * @description Time of the service: deadlines are measured by it
             */
            readonly now: string;
            /** @description Your passkeys, oldest first */
            readonly keys: readonly components["schemas"]["RelayKeyView"][];
        };
        readonly RelayStateView: {
            /**
             * Format: uuid
             * @description Of the batch
             */
            readonly relayId: string;
            /** @description queued, sent, mined, reverted, expired or refused */
            readonly status: string;
            /** @description Wei: the most that it can cost, and what it cost when a block has it */
            readonly wei: string;
            /** @description Id of the passkey that signed */
            readonly signedBy: string;
            /** @description EIP-55 address of the sponsor who pays */
            readonly paidBy: string;
            /**
             * Format: date-time
             * @description Until when it can land
             */
            readonly landsUntil: string;
            /** @description Why it was not sent */
            readonly reason: string | null;
        };
        readonly TrackBody: {
            /** @description Hash of a transaction that was sent to the chain */
            readonly txHash: string;
            /** @description Your own category; `custom` when absent */
            readonly type?: string;
        };
        readonly TrackingView: {
            /** @description Returns the state at `GET /api/v1/tx/{trackingId}` */
            readonly trackingId: string;
            /** @description As it was sent, in lower case */
            readonly txHash: string;
        };
        readonly EffectsView: {
            /** @description Events that it recorded */
            readonly eventIds: readonly string[];
            /** @description Lots that it minted, moved, recalled or retired */
            readonly tokenIds: readonly number[];
            /** @description Custody transfers that it opened, closed or made */
            readonly transferIds: readonly string[];
        };
        readonly RelayedCallView: {
            /**
             * Format: uuid
             * @description Of `POST /api/v1/tx/relay`
             */
            readonly relayId: string;
            /** @description Place in the batch, from 0 */
            readonly callIndex: number;
            /** @description Id of the passkey that signed, base64url */
            readonly signedBy: string;
            /** @description EIP-55 address of the sponsor who paid */
            readonly paidBy: string;
            /**
             * Format: date-time
             * @description Until when the signed batch can land
             */
            readonly landsUntil: string;
        };
        readonly TrackedView: {
            /** @description Null for a transaction that was requested by its hash */
            readonly trackingId: string | null;
            /** @description In lower case; null while a relayed call was not sent yet */
            readonly txHash: string | null;
            /** @description Your own category; `relay` for a relayed call */
            readonly type: string;
            /** @description submitted, pending, confirming, confirmed, failed, replaced or dropped */
            readonly status: string;
            /** @description EIP-155 chain id */
            readonly chainId: number;
            /** @description EIP-55 address */
            readonly from: string | null;
            /** @description EIP-55 address */
            readonly to: string | null;
            /** @description The sender's */
            readonly nonce: number | null;
            /** @description Its own block included */
            readonly confirmations: number;
            /** @description Number of confirmations after which it is final */
            readonly requiredConfirmations: number;
            /** @description Block in which it was mined */
            readonly blockNumber: number | null;
            /** @description Block in which it was mined */
            readonly blockHash: string | null;
            /** @description Decimal */
            readonly gasUsed: string | null;
            /** @description Wei, decimal */
            readonly effectiveGasPrice: string | null;
            /** @description The contract's reason when it failed */
            readonly revertReason: string | null;
            /** @description Hash of the transaction that took its nonce */
            readonly replacedBy: string | null;
            /** @description The event that its calldata records */
            readonly eventId: string | null;
            /** @description What it did, as far as indexed */
            readonly effects: components["schemas"]["EffectsView"];
            /** @description Null for what its signer sent */
            readonly relay: components["schemas"]["RelayedCallView"] | null;
            /**
             * Format: date-time
             * @description When it was given to track; null when it is not tracked
             */
            readonly submittedAt: string | null;
            /**
             * Format: date-time
             * @description When the chain was last asked
             */
            readonly lastCheckedAt: string | null;
            /**
             * Format: date-time
             * @description When it became final
             */
            readonly confirmedAt: string | null;
            /** @description Why it did not succeed */
            readonly error: string | null;
        };
        readonly TrackedPageView: {
            /** @description Exact up to 10,000 */
            readonly total: number;
            /** @description Page, from 1 */
            readonly page: number;
            /** @description Items per page */
            readonly limit: number;
            /** @description Present when there are more than 10,000 */
            readonly totalIsLowerBound?: boolean;
            /** @description Cursor of the next page; null on the last page, and in lists without cursors */
            readonly nextCursor: string | null;
            /** @description By submittedAt, newest first, then id */
            readonly data: readonly components["schemas"]["TrackedView"][];
        };
        readonly ChainView: {
            /** @description EIP-155 chain id */
            readonly chainId: number;
            /** @description Where to send signed transactions; null when the operator does not say */
            readonly rpcUrl: string | null;
            /** @description EIP-55 address of the registry of tenants */
            readonly registry: string | null;
            /** @description EIP-55 address of the factory of passkey accounts; null when the operator has deployed none */
            readonly accountFactory: string | null;
            /** @description EIP-55 address of the tenant's contract; null until its creation has landed */
            readonly contract: string | null;
            /** @description Version of the tenant's contract */
            readonly contractVersion: number | null;
            /** @description ABI of the tenant's contract */
            readonly abi: readonly Record<string, unknown>[];
            /** @description Blocks, its own included, after which a transaction is final */
            readonly confirmations: number;
            /** @description Page of a transaction, with `{tx}` in the place of its hash */
            readonly explorerUrl: string | null;
        };
        readonly SponsorView: {
            /** @description EIP-55 address */
            readonly address: string;
            /** @description Wei, decimal */
            readonly balanceWei: string;
            /**
             * Format: date-time
             * @description When it last read the chain
             */
            readonly seenAt: string;
        };
        readonly SponsorshipView: {
            /** @description Wei a day that the platform allows */
            readonly ceilingWeiPerDay: string;
            /** @description Wei a day that the tenant allows itself */
            readonly limitWeiPerDay: string | null;
            /** @description Spent since midnight UTC; what is on its way counts with the most that it can cost */
            readonly spentWeiToday: string;
            /** @description Left of today */
            readonly leftWeiToday: string;
            /** @description Relays of one member */
            readonly relaysPerHour: number;
            /** @description Who pays; null when the service has no sponsor */
            readonly sponsor: components["schemas"]["SponsorView"] | null;
        };
        readonly SponsorshipBody: {
            /** @description Wei a day, decimal, at most the ceiling; null: the ceiling */
            readonly limitWeiPerDay?: string | null;
            /** @description Relays of one member, at most the operator's setting; null: that */
            readonly relaysPerHour?: number | null;
        };
        readonly CeilingBody: {
            /** @description Wei a day, decimal; null: the operator's setting */
            readonly ceilingWeiPerDay: string | null;
        };
        readonly Problem: {
            readonly type: string;
            readonly title: string;
            readonly status: number;
            /** @description Stable code. Use it to distinguish errors. */
            readonly code: string;
            readonly detail: string;
            readonly instance: string;
            readonly requestId: string;
            readonly errors?: readonly {
                readonly pointer: string;
                readonly code: string;
                readonly message: string;
            }[];
            /** @description How many errors there are beyond the 100 that are listed */
            readonly moreErrors?: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type LoginRequest = components['schemas']['LoginRequest'];
export type LoginResultView = components['schemas']['LoginResultView'];
export type TenantChoice = components['schemas']['TenantChoice'];
export type RefreshRequest = components['schemas']['RefreshRequest'];
export type MembershipView = components['schemas']['MembershipView'];
export type OrgView = components['schemas']['OrgView'];
export type IdentityView = components['schemas']['IdentityView'];
export type SiweRequest = components['schemas']['SiweRequest'];
export type SignedMessageBody = components['schemas']['SignedMessageBody'];
export type PasswordChange = components['schemas']['PasswordChange'];
export type ForgottenPassword = components['schemas']['ForgottenPassword'];
export type PasswordReset = components['schemas']['PasswordReset'];
export type LanguageChoice = components['schemas']['LanguageChoice'];
export type SessionView = components['schemas']['SessionView'];
export type SessionsView = components['schemas']['SessionsView'];
export type PasskeyRegistrationRequest = components['schemas']['PasskeyRegistrationRequest'];
export type PasskeyOptionsView = components['schemas']['PasskeyOptionsView'];
export type PasskeyRegistration = components['schemas']['PasskeyRegistration'];
export type PasskeyAddedView = components['schemas']['PasskeyAddedView'];
export type PasskeyView = components['schemas']['PasskeyView'];
export type PasskeysView = components['schemas']['PasskeysView'];
export type PasskeyAuthentication = components['schemas']['PasskeyAuthentication'];
export type PasskeyInvitationOptions = components['schemas']['PasskeyInvitationOptions'];
export type PasskeyInvitation = components['schemas']['PasskeyInvitation'];
export type RateView = components['schemas']['RateView'];
export type UsedView = components['schemas']['UsedView'];
export type PlacesView = components['schemas']['PlacesView'];
export type UsageView = components['schemas']['UsageView'];
export type ApiKeyView = components['schemas']['ApiKeyView'];
export type ApiKeyPageView = components['schemas']['ApiKeyPageView'];
export type ApiKeyBody = components['schemas']['ApiKeyBody'];
export type ApiKeySecretView = components['schemas']['ApiKeySecretView'];
export type RotateBody = components['schemas']['RotateBody'];
export type OnChainView = components['schemas']['OnChainView'];
export type MemberView = components['schemas']['MemberView'];
export type MemberPageView = components['schemas']['MemberPageView'];
export type MemberBody = components['schemas']['MemberBody'];
export type MemberChange = components['schemas']['MemberChange'];
export type GrantsBody = components['schemas']['GrantsBody'];
export type PreparedTxView = components['schemas']['PreparedTxView'];
export type HintsView = components['schemas']['HintsView'];
export type MemberCallView = components['schemas']['MemberCallView'];
export type GrantsView = components['schemas']['GrantsView'];
export type SenderBody = components['schemas']['SenderBody'];
export type ReplacementBody = components['schemas']['ReplacementBody'];
export type ReplacementView = components['schemas']['ReplacementView'];
export type OrganisationAccountBody = components['schemas']['OrganisationAccountBody'];
export type AccountKeyView = components['schemas']['AccountKeyView'];
export type AccountDeploymentView = components['schemas']['AccountDeploymentView'];
export type ReplacementAccountView = components['schemas']['ReplacementAccountView'];
export type PasskeyAccountView = components['schemas']['PasskeyAccountView'];
export type OwnerChangeBody = components['schemas']['OwnerChangeBody'];
export type AccountCallView = components['schemas']['AccountCallView'];
export type AccountCallsView = components['schemas']['AccountCallsView'];
export type SignedByView = components['schemas']['SignedByView'];
export type ApprovalsView = components['schemas']['ApprovalsView'];
export type MemberRemovalBody = components['schemas']['MemberRemovalBody'];
export type SiteView = components['schemas']['SiteView'];
export type OrgWalletView = components['schemas']['OrgWalletView'];
export type OrganisationView = components['schemas']['OrganisationView'];
export type OrganisationPageView = components['schemas']['OrganisationPageView'];
export type OrganisationBody = components['schemas']['OrganisationBody'];
export type OrganisationChange = components['schemas']['OrganisationChange'];
export type SiteBody = components['schemas']['SiteBody'];
export type OrgWalletBody = components['schemas']['OrgWalletBody'];
export type AccountKeyBody = components['schemas']['AccountKeyBody'];
export type KeyIdBody = components['schemas']['KeyIdBody'];
export type TenantView = components['schemas']['TenantView'];
export type TenantPageView = components['schemas']['TenantPageView'];
export type FirstAdminBody = components['schemas']['FirstAdminBody'];
export type TenantBody = components['schemas']['TenantBody'];
export type InvitationView = components['schemas']['InvitationView'];
export type OpenedAdminView = components['schemas']['OpenedAdminView'];
export type OpenedTenantView = components['schemas']['OpenedTenantView'];
export type ContractBody = components['schemas']['ContractBody'];
export type ContractPreparedView = components['schemas']['ContractPreparedView'];
export type SuspendBody = components['schemas']['SuspendBody'];
export type TierBody = components['schemas']['TierBody'];
export type AuditView = components['schemas']['AuditView'];
export type AuditPageView = components['schemas']['AuditPageView'];
export type InvitationBody = components['schemas']['InvitationBody'];
export type DocumentBody = components['schemas']['DocumentBody'];
export type StoredDocumentView = components['schemas']['StoredDocumentView'];
export type StoredDocumentPageView = components['schemas']['StoredDocumentPageView'];
export type PartQuantityBody = components['schemas']['PartQuantityBody'];
export type HandedOverLot = components['schemas']['HandedOverLot'];
export type CustodyPrepareBody = components['schemas']['CustodyPrepareBody'];
export type PreparedCustodyView = components['schemas']['PreparedCustodyView'];
export type TransferView = components['schemas']['TransferView'];
export type TransferPageView = components['schemas']['TransferPageView'];
export type CustodyRecordView = components['schemas']['CustodyRecordView'];
export type CustodyHistoryView = components['schemas']['CustodyHistoryView'];
export type RetirementBody = components['schemas']['RetirementBody'];
export type PreparedRetirementView = components['schemas']['PreparedRetirementView'];
export type AffectedLotView = components['schemas']['AffectedLotView'];
export type ContainerView = components['schemas']['ContainerView'];
export type AffectedActorView = components['schemas']['AffectedActorView'];
export type UnitsView = components['schemas']['UnitsView'];
export type RecallImpactView = components['schemas']['RecallImpactView'];
export type RecallPrepareBody = components['schemas']['RecallPrepareBody'];
export type PreparedRecallView = components['schemas']['PreparedRecallView'];
export type LiftPrepareBody = components['schemas']['LiftPrepareBody'];
export type PreparedLiftView = components['schemas']['PreparedLiftView'];
export type Object = components['schemas']['Object'];
export type RecalledLotView = components['schemas']['RecalledLotView'];
export type RecallView = components['schemas']['RecallView'];
export type RecallPageView = components['schemas']['RecallPageView'];
export type HoldBody = components['schemas']['HoldBody'];
export type HeldView = components['schemas']['HeldView'];
export type ReleasedView = components['schemas']['ReleasedView'];
export type DrillBody = components['schemas']['DrillBody'];
export type DrillView = components['schemas']['DrillView'];
export type DrillPageView = components['schemas']['DrillPageView'];
export type AcknowledgedQuantity = components['schemas']['AcknowledgedQuantity'];
export type AcknowledgedLot = components['schemas']['AcknowledgedLot'];
export type AcknowledgeRecallBody = components['schemas']['AcknowledgeRecallBody'];
export type LotsAcknowledgedView = components['schemas']['LotsAcknowledgedView'];
export type HolderAcknowledgementsView = components['schemas']['HolderAcknowledgementsView'];
export type LotAcknowledgementView = components['schemas']['LotAcknowledgementView'];
export type AcknowledgementsView = components['schemas']['AcknowledgementsView'];
export type PreparedEventView = components['schemas']['PreparedEventView'];
export type ValidationView = components['schemas']['ValidationView'];
export type DeclarationView = components['schemas']['DeclarationView'];
export type CapturedEventView = components['schemas']['CapturedEventView'];
export type CaptureView = components['schemas']['CaptureView'];
export type ExportFormatView = components['schemas']['ExportFormatView'];
export type ImportBody = components['schemas']['ImportBody'];
export type ImportCountsView = components['schemas']['ImportCountsView'];
export type ImportView = components['schemas']['ImportView'];
export type ImportPageView = components['schemas']['ImportPageView'];
export type ImportProblemsView = components['schemas']['ImportProblemsView'];
export type ImportProblemPageView = components['schemas']['ImportProblemPageView'];
export type ImportedEventView = components['schemas']['ImportedEventView'];
export type ImportedEventPageView = components['schemas']['ImportedEventPageView'];
export type ImportGroupBody = components['schemas']['ImportGroupBody'];
export type ImportColumnBody = components['schemas']['ImportColumnBody'];
export type ImportConstantBody = components['schemas']['ImportConstantBody'];
export type ImportMappingBody = components['schemas']['ImportMappingBody'];
export type CheckImportBody = components['schemas']['CheckImportBody'];
export type PrepareImportBody = components['schemas']['PrepareImportBody'];
export type KeepMappingBody = components['schemas']['KeepMappingBody'];
export type SavedMappingView = components['schemas']['SavedMappingView'];
export type SavedMappingPageView = components['schemas']['SavedMappingPageView'];
export type ProductIdsBody = components['schemas']['ProductIdsBody'];
export type DppIdsView = components['schemas']['DppIdsView'];
export type PreparedDppView = components['schemas']['PreparedDppView'];
export type LinkBody = components['schemas']['LinkBody'];
export type BundleLinkView = components['schemas']['BundleLinkView'];
export type PassportSettingsView = components['schemas']['PassportSettingsView'];
export type PassportSettingsBody = components['schemas']['PassportSettingsBody'];
export type PassportView = components['schemas']['PassportView'];
export type PassportPageView = components['schemas']['PassportPageView'];
export type WithdrawBody = components['schemas']['WithdrawBody'];
export type VersionChangeView = components['schemas']['VersionChangeView'];
export type PassportVersionView = components['schemas']['PassportVersionView'];
export type PassportVersionPageView = components['schemas']['PassportVersionPageView'];
export type AccessGrantView = components['schemas']['AccessGrantView'];
export type AccessGrantPageView = components['schemas']['AccessGrantPageView'];
export type CreateGrantBody = components['schemas']['CreateGrantBody'];
export type CreatedGrantView = components['schemas']['CreatedGrantView'];
export type TenantLinkView = components['schemas']['TenantLinkView'];
export type LinkPageView = components['schemas']['LinkPageView'];
export type CreateLinkBody = components['schemas']['CreateLinkBody'];
export type ChangeLinkBody = components['schemas']['ChangeLinkBody'];
export type RegistrySettingsView = components['schemas']['RegistrySettingsView'];
export type RegistrySettingsBody = components['schemas']['RegistrySettingsBody'];
export type RegistrationView = components['schemas']['RegistrationView'];
export type RegistrationPageView = components['schemas']['RegistrationPageView'];
export type BatchEntryView = components['schemas']['BatchEntryView'];
export type RegistrationBatchView = components['schemas']['RegistrationBatchView'];
export type RegistrationOutcomeBody = components['schemas']['RegistrationOutcomeBody'];
export type RegistrationOutcomesBody = components['schemas']['RegistrationOutcomesBody'];
export type SettledBatchView = components['schemas']['SettledBatchView'];
export type AcknowledgeBody = components['schemas']['AcknowledgeBody'];
export type SubjectView = components['schemas']['SubjectView'];
export type AcknowledgedView = components['schemas']['AcknowledgedView'];
export type AlertView = components['schemas']['AlertView'];
export type AlertLimitsView = components['schemas']['AlertLimitsView'];
export type AlertLimitsBody = components['schemas']['AlertLimitsBody'];
export type NoticeView = components['schemas']['NoticeView'];
export type NoticePageView = components['schemas']['NoticePageView'];
export type ReadNoticesBody = components['schemas']['ReadNoticesBody'];
export type UnreadNoticesView = components['schemas']['UnreadNoticesView'];
export type NoticeChoiceView = components['schemas']['NoticeChoiceView'];
export type NoticeChoicesView = components['schemas']['NoticeChoicesView'];
export type NoticeChoiceBody = components['schemas']['NoticeChoiceBody'];
export type FoundLot = components['schemas']['FoundLot'];
export type FoundProduct = components['schemas']['FoundProduct'];
export type FoundCompany = components['schemas']['FoundCompany'];
export type FoundDocument = components['schemas']['FoundDocument'];
export type SearchView = components['schemas']['SearchView'];
export type ReportAsOfView = components['schemas']['ReportAsOfView'];
export type PeriodView = components['schemas']['PeriodView'];
export type BySeverityView = components['schemas']['BySeverityView'];
export type AlertsSummaryView = components['schemas']['AlertsSummaryView'];
export type InsightView = components['schemas']['InsightView'];
export type NarrationView = components['schemas']['NarrationView'];
export type EngineView = components['schemas']['EngineView'];
export type AlertsReportView = components['schemas']['AlertsReportView'];
export type KindView = components['schemas']['KindView'];
export type ByKindView = components['schemas']['ByKindView'];
export type SweepView = components['schemas']['SweepView'];
export type DataReferenceSummaryView = components['schemas']['DataReferenceSummaryView'];
export type PointingView = components['schemas']['PointingView'];
export type PointerView = components['schemas']['PointerView'];
export type DataReferenceReportView = components['schemas']['DataReferenceReportView'];
export type DocumentsSummaryView = components['schemas']['DocumentsSummaryView'];
export type UseView = components['schemas']['UseView'];
export type DocumentView = components['schemas']['DocumentView'];
export type MissingView = components['schemas']['MissingView'];
export type DocumentsReportView = components['schemas']['DocumentsReportView'];
export type SheetSummaryView = components['schemas']['SheetSummaryView'];
export type SheetRowView = components['schemas']['SheetRowView'];
export type Fsma204ReportView = components['schemas']['Fsma204ReportView'];
export type InventorySummaryView = components['schemas']['InventorySummaryView'];
export type CustodianView = components['schemas']['CustodianView'];
export type StockItemView = components['schemas']['StockItemView'];
export type StockTotalsView = components['schemas']['StockTotalsView'];
export type StockPlaceView = components['schemas']['StockPlaceView'];
export type InventoryReportView = components['schemas']['InventoryReportView'];
export type PlacesSummaryView = components['schemas']['PlacesSummaryView'];
export type PlaceView = components['schemas']['PlaceView'];
export type PlacesReportView = components['schemas']['PlacesReportView'];
export type SponsorshipSummaryView = components['schemas']['SponsorshipSummaryView'];
export type SponsoredKeyView = components['schemas']['SponsoredKeyView'];
export type SponsorshipReportView = components['schemas']['SponsorshipReportView'];
export type SuppliersSummaryView = components['schemas']['SuppliersSummaryView'];
export type CountsView = components['schemas']['CountsView'];
export type MetricsView = components['schemas']['MetricsView'];
export type SupplierView = components['schemas']['SupplierView'];
export type SuppliersReportView = components['schemas']['SuppliersReportView'];
export type TrendsSummaryView = components['schemas']['TrendsSummaryView'];
export type TrendPeriodView = components['schemas']['TrendPeriodView'];
export type TrendsReportView = components['schemas']['TrendsReportView'];
export type YieldSummaryView = components['schemas']['YieldSummaryView'];
export type DistributionView = components['schemas']['DistributionView'];
export type RangeView = components['schemas']['RangeView'];
export type OutlierView = components['schemas']['OutlierView'];
export type MonthView = components['schemas']['MonthView'];
export type ProcessYieldView = components['schemas']['ProcessYieldView'];
export type YieldChainView = components['schemas']['YieldChainView'];
export type YieldFlowView = components['schemas']['YieldFlowView'];
export type YieldReportView = components['schemas']['YieldReportView'];
export type TopicView = components['schemas']['TopicView'];
export type PausedView = components['schemas']['PausedView'];
export type WebhookView = components['schemas']['WebhookView'];
export type RegisterWebhookBody = components['schemas']['RegisterWebhookBody'];
export type WebhookWithSecretView = components['schemas']['WebhookWithSecretView'];
export type ChangeWebhookBody = components['schemas']['ChangeWebhookBody'];
export type TestSentView = components['schemas']['TestSentView'];
export type RotateSecretBody = components['schemas']['RotateSecretBody'];
export type AttemptView = components['schemas']['AttemptView'];
export type DeliveryView = components['schemas']['DeliveryView'];
export type DeliveryRequestView = components['schemas']['DeliveryRequestView'];
export type RecoverBody = components['schemas']['RecoverBody'];
export type RecoveringView = components['schemas']['RecoveringView'];
export type ConsumerView = components['schemas']['ConsumerView'];
export type ConsumerBody = components['schemas']['ConsumerBody'];
export type AcknowledgeChangesBody = components['schemas']['AcknowledgeChangesBody'];
export type ChangeView = components['schemas']['ChangeView'];
export type ChangesView = components['schemas']['ChangesView'];
export type EventBody = components['schemas']['EventBody'];
export type IssueView = components['schemas']['IssueView'];
export type VerdictView = components['schemas']['VerdictView'];
export type EventBatchBody = components['schemas']['EventBatchBody'];
export type BatchItemView = components['schemas']['BatchItemView'];
export type EventBatchView = components['schemas']['EventBatchView'];
export type VoidBody = components['schemas']['VoidBody'];
export type PreparedVoidView = components['schemas']['PreparedVoidView'];
export type SupersedeBody = components['schemas']['SupersedeBody'];
export type OpenedContentView = components['schemas']['OpenedContentView'];
export type DisclosureView = components['schemas']['DisclosureView'];
export type DisclosuresView = components['schemas']['DisclosuresView'];
export type LinkView = components['schemas']['LinkView'];
export type VerificationView = components['schemas']['VerificationView'];
export type ProcessView = components['schemas']['ProcessView'];
export type ProcessMapView = components['schemas']['ProcessMapView'];
export type ProcessMapPageView = components['schemas']['ProcessMapPageView'];
export type ProcessMapDocumentView = components['schemas']['ProcessMapDocumentView'];
export type ProcessMapVerdictView = components['schemas']['ProcessMapVerdictView'];
export type ProcessMapTemplateView = components['schemas']['ProcessMapTemplateView'];
export type ProcessMapTemplatesView = components['schemas']['ProcessMapTemplatesView'];
export type ProcessMapTrialBody = components['schemas']['ProcessMapTrialBody'];
export type MapTrialIssueView = components['schemas']['MapTrialIssueView'];
export type ProcessMapTrialView = components['schemas']['ProcessMapTrialView'];
export type RulesView = components['schemas']['RulesView'];
export type RulesBody = components['schemas']['RulesBody'];
export type ErasureBody = components['schemas']['ErasureBody'];
export type BeyondReachView = components['schemas']['BeyondReachView'];
export type LeftView = components['schemas']['LeftView'];
export type CopiesView = components['schemas']['CopiesView'];
export type ErasureView = components['schemas']['ErasureView'];
export type SubjectBody = components['schemas']['SubjectBody'];
export type SubjectValueView = components['schemas']['SubjectValueView'];
export type SubjectEventView = components['schemas']['SubjectEventView'];
export type SubjectDataView = components['schemas']['SubjectDataView'];
export type ExportedValueView = components['schemas']['ExportedValueView'];
export type ExportedEventView = components['schemas']['ExportedEventView'];
export type SubjectExportView = components['schemas']['SubjectExportView'];
export type LotView = components['schemas']['LotView'];
export type LotPageView = components['schemas']['LotPageView'];
export type AsOfView = components['schemas']['AsOfView'];
export type GraphNodeView = components['schemas']['GraphNodeView'];
export type GraphEdgeView = components['schemas']['GraphEdgeView'];
export type GraphView = components['schemas']['GraphView'];
export type RelatedLotView = components['schemas']['RelatedLotView'];
export type RelationsView = components['schemas']['RelationsView'];
export type FootprintBasisView = components['schemas']['FootprintBasisView'];
export type CoverageView = components['schemas']['CoverageView'];
export type EventRefView = components['schemas']['EventRefView'];
export type IndicatorView = components['schemas']['IndicatorView'];
export type IndicatorsView = components['schemas']['IndicatorsView'];
export type FootprintMethodView = components['schemas']['FootprintMethodView'];
export type LeftOutView = components['schemas']['LeftOutView'];
export type FootprintView = components['schemas']['FootprintView'];
export type EventActorView = components['schemas']['EventActorView'];
export type EventInputView = components['schemas']['EventInputView'];
export type EventOutputView = components['schemas']['EventOutputView'];
export type EventRelayView = components['schemas']['EventRelayView'];
export type EventView = components['schemas']['EventView'];
export type EventPageView = components['schemas']['EventPageView'];
export type OutputBody = components['schemas']['OutputBody'];
export type TxPrepareBody = components['schemas']['TxPrepareBody'];
export type PreparedGenericView = components['schemas']['PreparedGenericView'];
export type RelayAssertion = components['schemas']['RelayAssertion'];
export type RelayBody = components['schemas']['RelayBody'];
export type RelayedView = components['schemas']['RelayedView'];
export type RelayKeyView = components['schemas']['RelayKeyView'];
export type RelayAccountView = components['schemas']['RelayAccountView'];
export type RelayStateView = components['schemas']['RelayStateView'];
export type TrackBody = components['schemas']['TrackBody'];
export type TrackingView = components['schemas']['TrackingView'];
export type EffectsView = components['schemas']['EffectsView'];
export type RelayedCallView = components['schemas']['RelayedCallView'];
export type TrackedView = components['schemas']['TrackedView'];
export type TrackedPageView = components['schemas']['TrackedPageView'];
export type ChainView = components['schemas']['ChainView'];
export type SponsorView = components['schemas']['SponsorView'];
export type SponsorshipView = components['schemas']['SponsorshipView'];
export type SponsorshipBody = components['schemas']['SponsorshipBody'];
export type CeilingBody = components['schemas']['CeilingBody'];
export type Problem = components['schemas']['Problem'];
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
