"""The two outside worlds of the plugin, played for real over loopback: a QQ client and an OpenAI-style server."""
