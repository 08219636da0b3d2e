// The hook of runner.mjs in the form that Node takes before 22.15.
let globals;

export const initialize = (url) => {
  globals = url;
};

export const resolve = (specifier, context, next) =>
  specifier === '@jest/globals' ? { url: globals, shortCircuit: true } : next(specifier, context);
