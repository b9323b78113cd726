"use strict";
// Everything that is shown comes from the OpenAPI document and from answers of this node, and is always put in as text.
(async () => {
	const byID = (id) => document.getElementById(id);

	// element makes an element with properties and children; texts become text nodes.
	const element = (name, properties, ...children) => {
		const made = Object.assign(document.createElement(name), properties);
		made.append(...children.filter((child) => child !== null));
		return made;
	};

	let api;
	try {
		const answer = await fetch("/docs/openapi", { headers: { Accept: "application/json" } });
		if (!answer.ok) throw new Error("status " + answer.status);
		api = await answer.json();
	} catch (error) {
		byID("about").textContent = "The description cannot be read (" + error.message + "). Reload the page to try again.";
		return;
	}
	byID("about").textContent = api.info.title + ", version " + api.info.version + ". " + (api.info.description || "");

	// schemaOf follows references, and wrappers that only add a description.
	const schemaOf = (schema) => {
		while (schema && (schema.$ref || (schema.allOf && schema.allOf.length === 1))) {
			schema = schema.$ref ? api.components.schemas[schema.$ref.split("/").pop()] : schema.allOf[0];
		}
		return schema || {};
	};

	// example is a value of a schema to start from when the document gives none: the required fields.
	const example = (schema, depth) => {
		const nullable = schema && schema.nullable;
		schema = schemaOf(schema);
		if (depth > 8) return null;
		if (schema.oneOf) return example(schema.oneOf[0], depth);
		if (schema.enum) return schema.enum[0];
		switch (schema.type) {
			case "object": {
				const made = {};
				for (const [name, property] of Object.entries(schema.properties || {})) {
					if ((schema.required || []).includes(name)) made[name] = example(property, depth + 1);
				}
				return made;
			}
			case "array": return depth > 3 ? [] : [example(schema.items, depth + 1)];
			case "integer": return 0;
			case "boolean": return false;
			case "string": return schema.format === "date-time" ? new Date().toISOString() : "";
			default: return nullable ? null : {};
		}
	};

	const typeName = (schema) => {
		const name = schema && schema.$ref ? schema.$ref.split("/").pop() : "";
		const resolved = schemaOf(schema);
		if (resolved.type === "array") return "list of " + typeName(resolved.items);
		return name || resolved.format || resolved.type || "object";
	};

	// send tries the operation with what was filled in, and shows what came back.
	const send = async (method, path, inputs, body, output) => {
		output.hidden = false;
		output.textContent = "Waiting…";
		const query = new URLSearchParams();
		let address = path;
		for (const { parameter, input } of inputs) {
			const value = input.value.trim();
			if (parameter.in === "path") address = address.replace("{" + parameter.name + "}", encodeURIComponent(value));
			else if (value === "") continue;
			else if (schemaOf(parameter.schema).type !== "array") query.append(parameter.name, value);
			else for (const one of value.split(",")) query.append(parameter.name, one.trim());
		}
		if (query.size > 0) address += "?" + query;
		const request = { method, headers: {} };
		const token = byID("token").value.trim();
		if (token !== "") request.headers.Authorization = "Bearer " + token;
		if (body && body.files) request.body = body.files[0];
		else if (body && body.value.trim() !== "") {
			request.body = body.value;
			request.headers["Content-Type"] = "application/json";
		}
		if (method === "GET" && request.body !== undefined) {
			output.textContent = "Browsers do not send a body with GET: empty the body, or use another client.";
			return;
		}
		const started = performance.now();
		try {
			const answer = await fetch(address, request);
			let text = await answer.text();
			const took = Math.round(performance.now() - started);
			if ((answer.headers.get("Content-Type") || "").startsWith("application/json")) {
				text = JSON.stringify(JSON.parse(text), null, 2);
			}
			output.textContent = method + " " + address + "\n" + answer.status + " " + answer.statusText + ", " + took +
				" ms\n\n" + text;
		} catch (error) {
			output.textContent = method + " " + address + "\nNo answer came: " + error.message;
		}
	};

	const bodyInput = (operation) => {
		const content = operation.requestBody && operation.requestBody.content;
		if (!content) return null;
		if (content["application/octet-stream"]) return element("input", { type: "file" });
		const { schema, example: given } = content["application/json"];
		return element("textarea", { value: JSON.stringify(given || example(schema, 0), null, 2), spellcheck: false });
	};

	// answerExample shows what an answer looks like.
	const answerExample = (operation) => {
		const success = (operation.responses || {})["200"] || {};
		const given = ((success.content || {})["application/json"] || {}).example;
		return given === undefined ? null : element("details", {}, element("summary", {}, "Example of an answer"),
			element("pre", {}, JSON.stringify(given, null, 2)));
	};

	const fill = (details, method, path, operation) => {
		const inputs = (operation.parameters || []).map((parameter) => ({ parameter, input: element("input", {
			placeholder: typeName(parameter.schema), spellcheck: false }) }));
		const body = bodyInput(operation);
		const output = element("pre", { hidden: true });
		const button = element("button", { type: "button", textContent: "Send" });
		button.addEventListener("click", () => send(method, path, inputs, body, output));
		const content = operation.requestBody && operation.requestBody.content["application/json"];
		details.append(element("div", {},
			...(operation.description || "").split("\n\n").map((text) => element("p", {}, text)),
			...inputs.map(({ parameter, input }) => element("label", {}, parameter.name + " ",
				element("small", {}, (parameter.in === "path" ? "in the path; " : "") + (parameter.description || "") +
					(schemaOf(parameter.schema).type === "array" ? " (separated by commas)" : "")), input)),
			body && element("label", {}, "Body ", element("small", {}, content ? typeName(content.schema) : "a file"), body),
			content ? fields(content.schema) : null, answerExample(operation),
			element("p", {}, button), output));
	};

	// fields lists what the top of a body holds.
	const fields = (schema) => {
		const list = element("dl", {});
		for (const [name, property] of Object.entries(schemaOf(schema).properties || {})) {
			const required = (schemaOf(schema).required || []).includes(name) ? ", required" : "";
			list.append(element("dt", {}, element("code", {}, name)), element("dd", {}, property.description || "",
				element("small", {}, " (" + typeName(property.allOf ? property.allOf[0] : property) + required + ")")));
		}
		return list;
	};

	const groups = new Map();
	const shown = [];
	for (const [path, item] of Object.entries(api.paths)) {
		for (const [method, operation] of Object.entries(item)) {
			const verb = method.toUpperCase();
			const details = element("details", { className: operation.deprecated ? "deprecated" : "" },
				element("summary", {}, element("span", { className: "method" }, verb), element("code", {}, path), " ",
					operation.summary || ""));
			details.addEventListener("toggle", () => fill(details, verb, path, operation), { once: true });
			const tag = (operation.tags || ["Other"])[0];
			if (!groups.has(tag)) groups.set(tag, element("section", {}, element("h2", {}, tag)));
			groups.get(tag).append(details);
			shown.push({ details, text: [verb, path, tag, operation.operationId, operation.summary].join(" ").toLowerCase() });
		}
	}
	byID("operations").append(...groups.values());
	byID("find").addEventListener("input", (event) => {
		const words = event.target.value.toLowerCase().split(/\s+/);
		for (const { details, text } of shown) details.hidden = !words.every((word) => text.includes(word));
		for (const section of groups.values()) {
			section.hidden = ![...section.querySelectorAll(":scope > details")].some((details) => !details.hidden);
		}
	});
})();
