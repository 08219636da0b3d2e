import type { Provider, Type } from '@nestjs/common';

export const controllers: Type[] = [];
export const providers: Provider[] = [];
export const exported: Provider[] = [];
